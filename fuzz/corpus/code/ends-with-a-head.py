from cassandra.cluster import Session

def f(
    self, x):