import type { ExecutionErrorCode } from './errorCodes.ts';

/** How a run at a provider ended, in our words: what the dispatcher writes and the ledger settles. */
export type Outcome = Success | Failure;

export type Success = {
  ok: true;
  /** Model-specific output. Files are provider references until copied, `file_` references once stored. */
  output: Record<string, unknown>;
  usage: { inputTokens: number; outputTokens: number };
  /** What was consumed, for pricing by second or image; and the cost where the provider reports one (decimal string). */
  measured: { seconds?: number; images?: number; cost?: string };
};

export type Failure = {
  ok: false;
  code: ExecutionErrorCode;
  /** Safe to show: names no provider, host or key. */
  message: string;
};
