<?php
use Cassandra\A;
class A { const Q = 'SELECT a' . " FROM t"; function f($x) {
$q = "SELECT {$x} FROM $t é"; $q .= ' LIMIT 1'; $h = <<<C
SELECT a FROM t
C;
$s->execute($q); } }