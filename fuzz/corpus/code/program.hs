module A where
import B
q = "SELECT a \
   \FROM t é"
r = [r| INSERT INTO t (a) VALUES (?) |]
f x = retry x1 $ query1 q (params x) where c = "a" <> "b"
