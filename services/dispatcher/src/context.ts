import type { Database } from '@holdfast/db/client';
import type { ModelCatalogue } from '@holdfast/db/models/cache';
import type { EgressPolicy } from '@holdfast/egress/policy';
import type { Awaiter } from '@holdfast/executions/awaitCallback';
import type { OutcomeRecorder } from '@holdfast/executions/recordOutcome';
import type { Starter } from '@holdfast/executions/start';
import type { ObjectStore } from '@holdfast/files/store';
import type { Logger } from '@holdfast/kit/logger';
import type { Slots } from '@holdfast/kit/slots';
import type { Connection } from '@holdfast/providers/connection';
import type { Providers } from '@holdfast/providers/registry';
import type { InHand } from './inHand.ts';
import type { DispatcherMetrics } from './metrics.ts';

/** What the jobs of the dispatcher work with. */
export type Context = {
  db: Database;
  store: ObjectStore;
  catalogue: ModelCatalogue;
  providers: Providers;
  connections: Record<string, Connection>;
  egress: EgressPolicy;
  starter: Starter;
  awaiter: Awaiter;
  outcomes: OutcomeRecorder;
  inHand: InHand;
  /** For runs that are started here. */
  slots: Slots;
  /** Where providers call back; null: they can't. */
  callbackBaseUrl: string | null;
  metrics: DispatcherMetrics;
  log: Logger;
};
