import type { Database } from '@holdfast/db/client';
import type { ModelCatalogue } from '@holdfast/db/models';
import type { EgressPolicy } from '@holdfast/egress/policy';
import type { AttemptRecorder } from '@holdfast/executions/attemptRecorder';
import type { Starter } from '@holdfast/executions/lifecycle';
import type { ObjectStore } from '@holdfast/files/store';
import type { Logger } from '@holdfast/kit/logger';
import type { Span, Tracing } from '@holdfast/kit/tracing/tracing';
import type { Connection } from '@holdfast/providers/connection';
import type { Providers } from '@holdfast/providers/registry';
import type { AdmissionControl } from '@holdfast/queues/admission';
import type { Breakers } from './breakers.ts';
import type { Capacity } from './capacity.ts';
import type { InHand } from './inHand.ts';
import type { LimitsOf } from './limits.ts';
import type { DispatcherMetrics } from './metrics.ts';
import type { OpenTo } from './openTo.ts';
import type { Scheduler } from './scheduler.ts';

/** What the jobs of the dispatcher work with. */
export type Context = {
  db: Database;
  store: ObjectStore;
  catalogue: ModelCatalogue;
  providers: Providers;
  connections: Record<string, Connection>;
  egress: EgressPolicy;
  starter: Starter;
  recorder: AttemptRecorder;
  inHand: InHand;
  /** Who goes next. */
  scheduler: Scheduler;
  openTo: OpenTo;
  desk: AdmissionControl;
  limits(): Promise<LimitsOf>;
  isRedisUp(): boolean;
  breakers: Breakers;
  capacity: Capacity;
  /** Where providers call back; null: they can't. */
  callbackBaseUrl: string | null;
  metrics: DispatcherMetrics;
  /** Null: it is off. */
  tracing: Tracing | null;
  /** What is being done with a run; null: nothing, or it is not traced. */
  span: Span | null;
  /** Within a span, its lines carry the id of its trace. */
  log: Logger;
};
