-- What is dropped of the journal leaves its sums behind: balances and numbers can be checked against them for ever.

-- How many transfers of an organization went with a month, and what they had moved. What left its balance was revenue.
CREATE TABLE dropped_journals (
  organization_id text NOT NULL,
  month date NOT NULL,
  transfers bigint NOT NULL,
  available numeric(24, 8) NOT NULL,
  held numeric(24, 8) NOT NULL,
  CONSTRAINT dropped_journals_pkey PRIMARY KEY (organization_id, month),
  CONSTRAINT dropped_journals_transfers CHECK (transfers > 0)
);
CREATE TRIGGER dropped_journals_append_only BEFORE UPDATE OR DELETE ON dropped_journals
  FOR EACH ROW EXECUTE FUNCTION refuse_change();
CREATE TRIGGER dropped_journals_no_truncate BEFORE TRUNCATE ON dropped_journals
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

-- Drops the first month of the journal of those that lie wholly before the last `retention_days` days and whose executions
-- were dropped, as `drop_partitions` does. Balances stay, and what came or went by no execution; what the month moved is
-- written down with its end. Nobody adds to it any more: its executions are gone.
CREATE OR REPLACE FUNCTION drop_journal_partitions(retention_days integer) RETURNS TABLE (partition text, kept text)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp SET lock_timeout = '500ms' AS $$
DECLARE
  old record;
BEGIN
  IF retention_days IS NULL OR retention_days < 30 THEN
    RAISE EXCEPTION 'what is younger than 30 days is never dropped' USING ERRCODE = 'invalid_parameter_value';
  END IF;
  PERFORM pg_advisory_xact_lock(hashtext('holdfast partitions'));
  FOR old IN
    SELECT p.partition AS name, p.month, EXISTS (
      SELECT FROM month_partitions() e WHERE e.parent = 'executions' AND e.month = p.month) AS has_executions
    FROM month_partitions() p
    WHERE p.parent = 'transfers'
      AND p.month + interval '1 month' <= now() AT TIME ZONE 'UTC' - make_interval(days => retention_days)
    ORDER BY p.month
  LOOP
    partition := old.name;
    kept := CASE WHEN old.has_executions THEN 'its executions are there yet' END;
    IF kept IS NULL THEN
      BEGIN
        EXECUTE format($sum$INSERT INTO dropped_journals (organization_id, month, transfers, available, held)
          SELECT organization_id, %L, count(*),
            sum(CASE 'available' WHEN credit_account THEN amount WHEN debit_account THEN -amount ELSE 0 END),
            sum(CASE 'held' WHEN credit_account THEN amount WHEN debit_account THEN -amount ELSE 0 END)
          FROM %I GROUP BY organization_id$sum$, old.month, old.name);
        EXECUTE format('DROP TABLE %I', old.name);
      EXCEPTION WHEN lock_not_available THEN
        kept := 'it is in use';
      END;
      RETURN NEXT;
      RETURN;
    END IF;
    RETURN NEXT;
  END LOOP;
END $$;
