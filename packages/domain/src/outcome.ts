import type { ExecutionErrorCode } from './errors.ts';
import type { Money } from './money.ts';

export type Outcome = Success | Failure;

export type Success = {
  ok: true;
  /** Files are provider references (URLs, data URIs) until they are copied. */
  output: Record<string, unknown>;
  usage: { inputTokens: number; outputTokens: number };
  measured: { seconds?: number; images?: number; megapixels?: number; cost?: Money };
};

export type Failure = {
  ok: false;
  code: ExecutionErrorCode;
  /** Our own text, or what the model lets through (`show_to_clients`, `errors`). */
  message: string;
  /** The provider's own text: for operators only. */
  raw?: string;
};

export type RecordedOutcome =
  | { ok: true; output: Record<string, unknown>; inputTokens: number; outputTokens: number; cost: Money }
  | Omit<Failure, 'raw'>;
