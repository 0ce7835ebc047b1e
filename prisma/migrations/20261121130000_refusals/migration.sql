-- What the audit would find, the journal refuses.

-- NaN is more than any number and leaves a balance that covers everything. A hold and a correction take nothing that is
-- not there; what a run has cost may.
ALTER TABLE transfers
  ADD CONSTRAINT transfers_number CHECK (amount < 'NaN'),
  ADD CONSTRAINT transfers_covered CHECK (held_after >= 0
    AND (available_after >= 0 OR debit_account <> 'available' OR kind = 'overage'));

-- As before, but tells of what was dropped once all of the month is: of one table in use, nothing is dropped.
CREATE OR REPLACE FUNCTION drop_partitions(retention_days integer) RETURNS TABLE (partition text, kept text)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp SET lock_timeout = '500ms' AS $$
DECLARE
  old record;
  gone text[];
  is_uncleared boolean;
BEGIN
  PERFORM pg_advisory_xact_lock(hashtext('holdfast partitions'));
  FOR old IN SELECT o.month, o.kept FROM old_months(retention_days) o LOOP
    partition := 'executions' || to_char(old.month, '_YYYY_MM');
    kept := old.kept;
    IF kept IS NULL THEN
      SELECT EXISTS (SELECT FROM attempts a WHERE a.execution_id >= month_bound('exec', old.month)
        AND a.execution_id < month_bound('exec', (old.month + interval '1 month')::date)) INTO is_uncleared;
      IF is_uncleared THEN kept := 'attempts of it are there yet'; END IF;
    END IF;
    IF kept IS NULL THEN
      BEGIN
        LOCK TABLE ONLY executions, ONLY events, ONLY deliveries IN ACCESS EXCLUSIVE MODE;
        -- Somebody may have asked for a delivery once more until the lock was had.
        SELECT o.kept INTO kept FROM old_months(retention_days) o WHERE o.month = old.month;
        IF kept IS NULL THEN
          SELECT array_agg(p.partition ORDER BY p.parent) INTO gone FROM month_partitions() p
          WHERE p.month = old.month AND p.parent <> 'transfers';
          EXECUTE 'DROP TABLE ' || (SELECT string_agg(quote_ident(name), ', ') FROM unnest(gone) name);
          RETURN QUERY SELECT name, NULL::text FROM unnest(gone) name;
          RETURN;
        END IF;
      EXCEPTION WHEN lock_not_available THEN
        kept := 'it is in use';
        RETURN NEXT;
        RETURN;
      END;
    END IF;
    RETURN NEXT;
  END LOOP;
END $$;
