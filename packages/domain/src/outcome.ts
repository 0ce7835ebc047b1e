import type { ExecutionErrorCode } from './errorCodes.ts';
import type { Money } from './money.ts';

/** How a run at a provider ended, in our words. */
export type Outcome = Success | Failure;

export type Success = {
  ok: true;
  /** Model-specific output; files are provider references (URLs, data URIs) until they are copied. */
  output: Record<string, unknown>;
  usage: { inputTokens: number; outputTokens: number };
  /** What was consumed, for pricing by second, image or megapixel; and the cost where the provider reports one. */
  measured: { seconds?: number; images?: number; megapixels?: number; cost?: Money };
};

export type Failure = {
  ok: false;
  code: ExecutionErrorCode;
  /** Our own; of a provider's words only what the model's YAML lets through (`show_to_clients`, `errors`). */
  message: string;
  /** What the provider said, before it was mapped: for the operator alone. */
  raw?: string;
};

/** What the dispatcher writes on the attempt and the ledger settles: files stored, cost computed. */
export type RecordedOutcome =
  | { ok: true; output: Record<string, unknown>; inputTokens: number; outputTokens: number; cost: Money }
  | Omit<Failure, 'raw'>;
