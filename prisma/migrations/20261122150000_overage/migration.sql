-- What a run costs above its hold is charged in full, or as far as the balance (or the spend limit) goes; the rest is
-- written off. A migration per table, for one that locked two could deadlock with a settlement; 20261122150100 reads the journal,
-- and blocks writes to one month at a time.

-- The policies of the platform: one row, which the setup writes. An installation that has organizations already keeps
-- charging in full; a new one caps at spend limits.
CREATE TABLE ledger_settings (
  id integer NOT NULL DEFAULT 1,
  overage text NOT NULL DEFAULT 'charge',
  spend_limit_overage text NOT NULL DEFAULT 'charge',
  CONSTRAINT ledger_settings_pkey PRIMARY KEY (id),
  CONSTRAINT ledger_settings_one CHECK (id = 1),
  CONSTRAINT ledger_settings_policies
    CHECK (overage IN ('charge', 'cap') AND spend_limit_overage IN ('charge', 'cap'))
);
INSERT INTO ledger_settings (spend_limit_overage)
SELECT CASE WHEN EXISTS (SELECT FROM organizations) THEN 'charge' ELSE 'cap' END;

-- An organization's own policies; null: those of the platform. They are in the row that every settlement locks, so a
-- change takes effect between two settlements.
ALTER TABLE balances
  ADD COLUMN overage text,
  ADD COLUMN spend_limit_overage text,
  ADD CONSTRAINT balances_policies CHECK (overage IN ('charge', 'cap') AND spend_limit_overage IN ('charge', 'cap'));
