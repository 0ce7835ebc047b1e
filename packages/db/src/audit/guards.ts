/** Of what keeps the books from being changed: somebody who repaired them by hand may have left it off. */
export const guardInvariants = {
  'the journal cannot be changed': `
    SELECT g.relation || ', ' || g.trigger AS id, CASE WHEN t.oid IS NULL THEN 'not there' ELSE 'off' END AS found
    FROM (
      SELECT relid::regclass::text AS relation, 'transfers_append_only' AS trigger FROM pg_partition_tree('transfers')
      UNION ALL VALUES ('transfers', 'transfers_no_truncate'), ('transfers', 'transfers_post'),
        ('dropped_journals', 'dropped_journals_append_only'), ('dropped_journals', 'dropped_journals_no_truncate')
    ) g LEFT JOIN pg_trigger t ON t.tgrelid = g.relation::regclass AND t.tgname = g.trigger
    WHERE coalesce(t.tgenabled::text, 'D') NOT IN ('O', 'A')
    UNION ALL SELECT 'transfers, row level security', 'off' FROM pg_class
    WHERE oid = 'transfers'::regclass AND NOT relrowsecurity
    UNION ALL SELECT 'transfers, ' || name, 'not there' FROM unnest(ARRAY ['transfers_kind', 'transfers_amount',
      'transfers_number', 'transfers_covered', 'transfers_execution']) AS name
    WHERE NOT EXISTS (SELECT FROM pg_constraint WHERE conrelid = 'transfers'::regclass AND conname = name AND convalidated)
    UNION ALL SELECT 'transfers, transfers_once', 'not there'
    WHERE NOT EXISTS (SELECT FROM pg_index WHERE indexrelid = to_regclass('transfers_once') AND indisunique AND indisvalid)`,
} as const;
