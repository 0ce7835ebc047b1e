-- What a month of the journal had moved is added up from all of its rows, in the order in which they lie there: row by row
-- through an index, as the statements of a session with `enable_seqscan = off` go, it takes many times as long.
ALTER FUNCTION drop_journal_partitions(integer) SET enable_seqscan = on;
