ALTER TABLE attempts ADD COLUMN provider_cost numeric(24, 8);

-- Written with the outcome of a run that has a known cost; the ledger moves it to the sums when its execution has ended.
-- So dispatchers never wait for each other's sums.
CREATE TABLE provider_costs (
  attempt_id text NOT NULL,
  execution_id text NOT NULL,
  provider text NOT NULL,
  is_success boolean NOT NULL,
  cost numeric(24, 8) NOT NULL,
  CONSTRAINT provider_costs_pkey PRIMARY KEY (attempt_id)
);

CREATE TABLE provider_sums (
  unit text NOT NULL CHECK (unit IN ('hour', 'day')),
  starts_at timestamptz(3) NOT NULL,
  organization_id text NOT NULL,
  model text NOT NULL,
  provider text NOT NULL,
  runs bigint NOT NULL,
  revenue numeric(24, 8) NOT NULL,
  cost numeric(24, 8) NOT NULL,
  lost_runs bigint NOT NULL,
  lost numeric(24, 8) NOT NULL,
  CONSTRAINT provider_sums_pkey PRIMARY KEY (unit, starts_at, organization_id, model, provider)
);
-- Updated in place where it can be.
ALTER TABLE provider_sums SET (fillfactor = 70);
