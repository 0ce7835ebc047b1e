import type { Part } from './bench.ts';
import { creates } from './parts/creates.ts';
import { curve } from './parts/curve.ts';
import { endToEnd } from './parts/endToEnd.ts';
import { fairness } from './parts/fairness.ts';
import { grown } from './parts/grown.ts';
import { halfRate } from './parts/halfRate.ts';
import { hotRow } from './parts/hotRow.ts';
import { lone } from './parts/lone.ts';
import { organizations } from './parts/organizations.ts';
import { ownCost } from './parts/ownCost.ts';
import { webhooks } from './parts/webhooks.ts';
import { webhooksIsolation } from './parts/webhooksIsolation.ts';

/** In order: a quiet system first, a full database last. */
export const parts: Record<string, Part> = {
  own_cost: ownCost,
  hot_row: hotRow,
  lone,
  end_to_end: endToEnd,
  organizations,
  creates,
  half_rate: halfRate,
  webhooks,
  webhooks_isolation: webhooksIsolation,
  curve,
  fairness,
  grown,
};
