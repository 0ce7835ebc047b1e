import type { Readable } from 'node:stream';
import type { OutcomeMapping } from '@holdfast/domain/modelDefinition';
import type { ProviderMode } from '@holdfast/domain/modelRoute';
import type { Failure, Outcome } from '@holdfast/domain/outcome';
import type { OutputBody } from './outputBody.ts';

/** One run of a model, as an adapter needs it. Nothing here is specific to a provider. */
export type Submission = {
  executionId: string;
  /** Unguessable, unique per attempt: the idempotency token at providers that take one. */
  token: string;
  /** When the attempt was begun, in milliseconds since 1970 by the database's clock: a provider has nothing of it from before. */
  begunAtMs: number;
  /** The provider's name of the model, from the model's YAML (`provider.model`). */
  providerModel: string;
  /** The client's input as this provider takes it, `file_` references already replaced by URLs or data URIs. */
  input: Record<string, unknown>;
  /** Where the model sends files as parts of a form: those that still stand in `input` as their ids. Else empty. */
  parts: FilePart[];
  /** The model's `provider.options`, passed through as the adapter documents. */
  options: Record<string, unknown>;
  /** How the model (or its input) wants the end to reach us; see `providerMode` in domain/modelDefinition. */
  mode: ProviderMode;
  /** How an answer becomes an outcome: from the model's YAML. */
  mapping: OutcomeMapping;
  /** Where the provider may call back; null when it can't reach us: then poll or answer at once. */
  callbackUrl: string | null;
  /** Milliseconds left until the execution expires. */
  timeoutMs: number;
};

/** A file of the input to be sent as bytes. */
export type FilePart = {
  /** Where its id stands in `input`. */
  path: (string | number)[];
  filename: string;
  contentType: string;
  sizeBytes: number;
  open(): Promise<Readable>;
};

/** Of a provider's id of a run, in characters: it is kept with every attempt and stands in URLs. */
export const longestId = 512;

/** What the adapter must remember to poll or cancel a run it has submitted; stored as JSON, never shown. */
export type Handle = { externalId: string } & Record<string, string>;

/** What came of a call to a provider. */
export type Progress =
  /**
   * The run has ended. Files in its output still point at the provider, or at `bodies`, which whoever takes the outcome
   * closes; see outputFiles.ts.
   */
  | {
      state: 'ended';
      outcome: Outcome;
      bodies?: readonly OutputBody[];
      alert?: string;
      logs?: string;
      isTheirFault?: true;
    }
  /**
   * Accepted; the end will come by callback (`callback`) or must be asked for (`poll`). While a callback is awaited, each
   * pause between two questions is twice as long as the one before, unless the questions show the progress (`isSteady`).
   */
  | ({
      state: 'running';
      handle: Handle;
      by: 'callback' | 'poll';
      pollAfterMs: number;
      isSteady?: true;
    } & Telling)
  /**
   * Certainly not accepted. The execution may be sent again, here after `retryAfterMs` (null: asking here again is of no
   * use), or to the model's next provider; when nobody is left it fails with `outcome`. From `recover` with `mayHaveRun`:
   * it refuses now, but what was sent before may have been accepted, so it is to be asked again under the same token.
   * `isBusy`: it has no capacity at the moment (429, 503), which is no failure: the execution waits, until it expires.
   * `isDead`: it takes no runs until it is restarted, so no other run is sent there. From `poll` with `isLost`: the provider
   * had the run and has it no more, nor what came of it, so it is sent again; without, a refused question is asked again.
   */
  | {
      state: 'refused';
      retryAfterMs: number | null;
      outcome: Failure;
      alert?: string;
      mayHaveRun?: true;
      isBusy?: true;
      isDead?: true;
      isLost?: true;
    }
  /**
   * Sent, and it can't be known whether it was accepted (time-out, reset after send). `recover` may learn it;
   * if that says `unknown` too, the run has failed with the first `outcome`. `isBusy`: if it was not accepted, it was for
   * want of capacity.
   */
  | { state: 'unknown'; outcome: Failure; isBusy?: true };

/** What a provider tells of a run that goes on, as it is: clients read of its log what the model shows. */
export type Telling = {
  /** 0 to 1. */
  progress?: number;
  /** The place in the provider's queue, 0 for the next. */
  queuePosition?: number;
  /** All that it has logged so far. */
  logs?: string;
};

/**
 * `alert`: words for the operator (a refused key, a wrong URL), never for the client. `isTheirFault`: the provider itself
 * broke down (its 500), which counts against it.
 */
export type Ended = Extract<Progress, { state: 'ended' }>;

/**
 * What a callback says: the end of its run; that the provider is to be asked (`ask`); that it can't be verified just now
 * (`later`: it is brought again). Null: it is not authentic, or says nothing.
 */
export type CallbackReading = Ended | 'ask' | 'later' | null;

export type Callback = {
  headers: Record<string, string>;
  body: Buffer;
  /** When it came, in ms since 1970: it may have waited for longer than its signature holds. */
  receivedAtMs: number;
};

/** The run that a callback claims to be about, found by the token in its URL. */
export type CalledBack = {
  token: string;
  handle: Handle | null;
  mapping: OutcomeMapping;
} & Pick<Submission, 'providerModel' | 'options'>;

/**
 * One provider's wire protocol. Adapters keep no state of their own: every dispatcher may serve every run.
 * No method throws for anything a provider or the network does.
 */
export type Provider = {
  readonly name: string;
  submit(submission: Submission, signal: AbortSignal): Promise<Progress>;
  /** Whether `poll` may send the input again: then it is given as it was submitted, else as the client wrote it. */
  pollsWithInput?(handle: Handle): boolean;
  /** Ask for the state of a submitted run. `running` when it could not be asked just now. */
  poll(submission: Submission, handle: Handle, signal: AbortSignal): Promise<Progress>;
  /** Best effort; never throws for a run that is gone. */
  cancel(handle: Handle, signal: AbortSignal): Promise<void>;
  /** What `cancel` needs while `submit` has not answered yet; null: aborting the submit is all there is. */
  handleFor(submission: Submission): Handle | null;
  /**
   * Looks for a run whose submit had no answer, so that it can be cancelled; null: it isn't there. Absent: there is no way
   * to look without sending it again.
   */
  find?(submission: Submission, signal: AbortSignal): Promise<Handle | null>;
  /** Verify and read a callback. `run.handle` is null when it came before our submit had returned. */
  readCallback(callback: Callback, run: CalledBack): Promise<CallbackReading>;
  /**
   * After a crash or a lost answer: find out what became of the run with this token, and join it. Adapters whose submit
   * is idempotent by token submit again; those that can't ask return `unknown`. `refused`: it was certainly not accepted.
   */
  recover(submission: Submission, signal: AbortSignal): Promise<Progress>;
  /** Lets go of its sockets. */
  close(): void;
};
