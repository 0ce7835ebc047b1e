import { balanceChangeSql } from './sql.ts';

/**
 * Old months of the journal may be gone (`--including-journal`). `dropped_journals` has their count and sums, so totals
 * stay exact; neighbouring rows are compared, and a gap is known by its sum only.
 */
export const journalInvariants = {
  'every organization has its balance': `
    SELECT coalesce(o.id, b.organization_id) AS id,
      CASE WHEN o.id IS NULL THEN 'a balance of no organization' ELSE 'no balance' END AS found
    FROM organizations o FULL JOIN balances b ON b.organization_id = o.id
    WHERE o.id IS NULL OR b.organization_id IS NULL`,

  'each balance is the sum of its transfers': `
    SELECT organization_id AS id, 'available ' || coalesce(b.available::text, 'none') || ', held '
      || coalesce(b.held::text, 'none') || ', transfers say ' || coalesce(t.available, 0) || ' and '
      || coalesce(t.held, 0) AS found
    FROM balances b FULL JOIN (
      SELECT organization_id, sum(available) AS available, sum(held) AS held FROM (
        SELECT organization_id, sum(${balanceChangeSql('available')}) AS available, sum(${balanceChangeSql('held')}) AS held
        FROM transfers GROUP BY organization_id
        UNION ALL SELECT organization_id, available, held FROM dropped_journals
      ) m GROUP BY organization_id
    ) t USING (organization_id)
    WHERE (b.available, b.held) IS DISTINCT FROM (coalesce(t.available, 0), coalesce(t.held, 0))`,

  'each balance is what its last transfer left': `
    SELECT b.organization_id AS id, 'available ' || b.available || ', held ' || b.held || ', transfer ' || t.sequence
      || ' leaves ' || t.available_after || ' and ' || t.held_after AS found
    FROM balances b JOIN transfers t ON t.organization_id = b.organization_id AND t.sequence = b.sequence
    WHERE (b.available, b.held) <> (t.available_after, t.held_after)`,

  'the journal is numbered without gaps': `
    SELECT organization_id AS id, 'sequence ' || coalesce(b.sequence::text, 'none') || ' of ' || coalesce(t.kept, 0)
      || ' transfers from ' || coalesce(t.first, 0) || ' to ' || coalesce(t.last, 0)
      || coalesce(', and ' || d.dropped || ' dropped', '') AS found
    FROM balances b FULL JOIN (
      SELECT organization_id, count(*) AS kept, min(sequence) AS first, max(sequence) AS last
      FROM transfers GROUP BY organization_id
    ) t USING (organization_id) LEFT JOIN (
      SELECT organization_id, sum(transfers) AS dropped FROM dropped_journals GROUP BY organization_id
    ) d USING (organization_id)
    WHERE b.sequence IS DISTINCT FROM coalesce(t.kept, 0) + coalesce(d.dropped, 0)
      OR t.first < 1 OR t.last > b.sequence`,

  'each transfer goes on from the one before': `
    SELECT organization_id AS id, 'transfer ' || sequence || ' leaves ' || available_after || ' and ' || held_after
      || ', after ' || sequence_before || ' which left ' || available_before || ' and ' || held_before AS found
    FROM (
      SELECT organization_id, sequence, available_after, held_after, lag(sequence, 1, 0::bigint) OVER w AS sequence_before,
        lag(available_after, 1, 0) OVER w AS available_before, lag(held_after, 1, 0) OVER w AS held_before,
        ${balanceChangeSql('available')} AS to_available, ${balanceChangeSql('held')} AS to_held
      FROM transfers WINDOW w AS (PARTITION BY organization_id ORDER BY sequence)
    ) t
    WHERE sequence <= sequence_before OR (sequence = sequence_before + 1
      AND (available_after <> available_before + to_available OR held_after <> held_before + to_held))`,

  'a transfer moves between the accounts of its kind': `
    SELECT organization_id AS id, 'transfer ' || sequence || ': ' || kind || ' of ' || amount || ' from ' || debit_account
      || ' to ' || credit_account || coalesce(' for ' || execution_id, '') AS found
    FROM transfers
    WHERE (kind, debit_account, credit_account) NOT IN (
      ('top_up', 'funding', 'available'), ('correction', 'funding', 'available'), ('correction', 'available', 'funding'),
      ('hold', 'available', 'held'), ('overage', 'available', 'held'), ('settle', 'held', 'revenue'),
      ('remainder', 'held', 'available'), ('release', 'held', 'available'), ('write_off', 'write_offs', 'revenue'),
      ('reserve', 'available', 'held'), ('unreserve', 'held', 'available'))
      OR amount < 0 OR (amount = 0 AND kind <> 'settle')
      OR (kind IN ('top_up', 'correction', 'reserve', 'unreserve')) <> (execution_id IS NULL)
      OR (kind IN ('reserve', 'unreserve')) <> (batch_id IS NOT NULL)`,

  'only a settlement takes more than is available': `
    SELECT organization_id AS id, 'transfer ' || sequence || ': ' || kind || ' of ' || amount || ' leaves '
      || available_after || ' and ' || held_after AS found
    FROM transfers
    WHERE held_after < 0 OR (available_after < 0 AND debit_account = 'available' AND kind <> 'overage')`,

  // Dropped months left the balances as revenue, less the write-offs.
  'all accounts add up to zero': `
    SELECT 'all organizations' AS id, 'funding ' || t.funding || ', revenue ' || t.revenue || ', write-offs '
      || t.write_offs || ', available ' || b.available || ', held ' || b.held AS found
    FROM (
      SELECT coalesce(sum(funding), 0) AS funding, coalesce(sum(revenue), 0) AS revenue,
        coalesce(sum(write_offs), 0) AS write_offs
      FROM (
        SELECT sum(${balanceChangeSql('funding')}) AS funding, sum(${balanceChangeSql('revenue')}) AS revenue,
          sum(${balanceChangeSql('write_offs')}) AS write_offs FROM transfers
        UNION ALL SELECT 0, -sum(available + held), 0 FROM dropped_journals
      ) m
    ) t CROSS JOIN (
      SELECT coalesce(sum(available), 0) AS available, coalesce(sum(held), 0) AS held FROM balances
    ) b
    WHERE t.funding + t.revenue + t.write_offs + b.available + b.held <> 0`,

  'what resolves a hold adds up to it': `
    SELECT execution_id AS id, count(*) FILTER (WHERE kind = 'hold') || ' holds, '
      || count(*) FILTER (WHERE kind IN ('settle', 'release')) || ' resolutions, '
      || count(*) FILTER (WHERE kind IN ('overage', 'remainder')) || ' adjustments, held afterwards '
      || sum(${balanceChangeSql('held')}) AS found
    FROM transfers WHERE execution_id IS NOT NULL GROUP BY execution_id
    HAVING count(*) FILTER (WHERE kind = 'hold') <> 1
      OR count(*) FILTER (WHERE kind IN ('overage', 'remainder')) > count(*) FILTER (WHERE kind = 'settle')
      OR count(*) FILTER (WHERE kind IN ('settle', 'release')) <> CASE count(*) WHEN 1 THEN 0 ELSE 1 END
      OR (count(*) > 1 AND sum(${balanceChangeSql('held')}) <> 0)`,
} as const;

/** The triggers that guard the ledger: a manual repair may have left one disabled. */
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
      'transfers_number', 'transfers_covered', 'transfers_execution', 'transfers_refund']) AS name
    WHERE NOT EXISTS (SELECT FROM pg_constraint WHERE conrelid = 'transfers'::regclass AND conname = name AND convalidated)
    UNION ALL SELECT 'transfers, transfers_once', 'not there'
    WHERE NOT EXISTS (SELECT FROM pg_index WHERE indexrelid = to_regclass('transfers_once') AND indisunique AND indisvalid)`,
} as const;
