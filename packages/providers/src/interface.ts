import type { Outcome } from '@holdfast/domain/outcome';

/** One run of a model, as an adapter needs it. Nothing here is specific to a provider. */
export type Submission = {
  executionId: string;
  /** Unguessable, unique per attempt: the idempotency token at providers that take one. */
  token: string;
  /** The provider's name of the model, from the model's YAML (`provider.model`). */
  providerModel: string;
  /** The client's input, `file_` references already replaced by what the provider takes. */
  input: Record<string, unknown>;
  /** The model's `provider.options`, passed through as the adapter documents. */
  options: Record<string, unknown>;
  /** Where the provider may call back; null when it can't reach us: then poll or answer at once. */
  callbackUrl: string | null;
  /** Milliseconds left until the execution expires. */
  timeoutMs: number;
};

/** What the adapter must remember to poll or cancel a run it has submitted; stored as JSON, never shown. */
export type Handle = { externalId: string } & Record<string, string>;

/** What came of a call to a provider. */
export type Progress =
  /** The run has ended. `outputs` still point at the provider; the dispatcher copies them. */
  | { state: 'ended'; outcome: Outcome }
  /** Accepted; the end will come by callback (`callback`) or must be asked for (`poll`). */
  | { state: 'running'; handle: Handle; by: 'callback' | 'poll'; pollAfterMs: number }
  /** Certainly not accepted; the same attempt may be sent again after `retryAfterMs`, until it gives up with `outcome`. */
  | { state: 'refused'; retryAfterMs: number; outcome: Outcome }
  /** Sent, and it can't be known whether it was accepted (time-out, reset after send). */
  | { state: 'unknown'; outcome: Outcome };

export type Callback = { headers: Record<string, string>; body: Buffer };

/** One provider's wire protocol. Adapters keep no state of their own: every dispatcher may serve every run. */
export type Provider = {
  readonly name: string;
  submit(submission: Submission, signal: AbortSignal): Promise<Progress>;
  /** Ask for the state of a submitted run. */
  poll(handle: Handle, signal: AbortSignal): Promise<Progress>;
  /** Best effort; never throws for a run that is gone. */
  cancel(handle: Handle, signal: AbortSignal): Promise<void>;
  /** Verify and read a callback. Null: not authentic, or says nothing about the end of a run. */
  readCallback(callback: Callback, handle: Handle | null): Promise<Progress | null>;
  /**
   * After a crash between send and answer: find out what became of the run with this token.
   * Adapters whose submit is idempotent by token submit again; those that can't ask return `unknown`.
   */
  recover(submission: Submission, signal: AbortSignal): Promise<Progress>;
};
