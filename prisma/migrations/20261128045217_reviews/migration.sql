-- Runs whose reported cost no one would believe: each was charged its hold, and an operator decides about the rest.
-- `reported_cost` has no limit, so that no figure of a provider can keep its run from being settled.
CREATE TABLE reviews (
  execution_id text PRIMARY KEY,
  organization_id text NOT NULL,
  hold numeric(24, 8) NOT NULL,
  reported_cost numeric NOT NULL,
  state text NOT NULL DEFAULT 'open',
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  decided_at timestamptz(3),
  decided_by text,
  CONSTRAINT reviews_above CHECK (reported_cost > hold),
  CONSTRAINT reviews_state CHECK (state IN ('open', 'accepted', 'written_off')),
  CONSTRAINT reviews_decided CHECK ((state = 'open') = (decided_at IS NULL))
);
