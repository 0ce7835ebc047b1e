import type { components } from './generated/api.ts';

type Schemas = components['schemas'];

/** A status. Later versions of the service may have more: `isEnded` knows which are final. */
export type ExecutionStatus = Schemas['Execution']['status'] | (string & {});

/** An execution as the API returns it. */
export type Execution<Output = Record<string, unknown>> = Omit<Schemas['Execution'], 'status' | 'result'> & {
  status: ExecutionStatus;
  result?: Output;
  /** The last 64 KiB of the log. Lists and events omit it. */
  logs?: string | null;
  /** In responses about this execution alone. */
  urls?: Schemas['ExecutionUrls'];
};

/** The response to a create. */
export type CreatedExecution = Omit<Schemas['CreatedExecution'], 'status'> & { status: ExecutionStatus };

/** An execution that may have been created, but not read yet: then it has the fields of a create only. */
export type KnownExecution = Omit<CreatedExecution, 'urls'> & Partial<Execution>;

export type ExecutionResult<Output = Record<string, unknown>> = Omit<Schemas['ExecutionResult'], 'output'> & {
  output: Output;
};

export type ExecutionInput = Schemas['ExecutionInput'];
export type ExecutionToken = Schemas['ExecutionToken'];
export type CreateExecution = Omit<Schemas['CreateExecution'], 'input'> & { input: Record<string, unknown> };
export type EstimateExecution = Schemas['EstimateExecution'];
export type Estimate = Schemas['Estimate'];
export type BulkCancel = Omit<Schemas['BulkCancel'], 'cursor'>;
export type BulkRerun = Omit<Schemas['BulkRerun'], 'cursor'>;
export type BulkCancelled = Schemas['BulkCancelled'];
export type BulkRerunResult = Schemas['BulkRerunResult'];
/** A status. Later versions of the service may have more: a batch has ended when it has `ended_at`. */
export type BatchStatus = Schemas['BatchStatus'] | (string & {});
export type Batch = Omit<Schemas['Batch'], 'status'> & { status: BatchStatus };
export type BatchItem = Schemas['BatchItem'];
export type CreateBatch = Schemas['CreateBatch'];
export type RetryBatchFilter = Schemas['RetryBatchFilter'];

/** An item of a batch. What it lacks comes from the batch. */
export type BatchItemRequest = {
  /** Your name for it, which the batch has once. */
  custom_id: string;
  model?: string;
  input?: Record<string, unknown>;
  metadata?: Record<string, unknown>;
  timeout_seconds?: number;
};

/** An item that has ended: with its `output`, or with its `error`. */
export type BatchResult<Output = Record<string, unknown>> = {
  custom_id: string;
  execution_id: string | null;
  status: BatchItem['status'];
  model: string;
  metadata: Record<string, unknown> | null;
  cost: string | null;
  output?: Output;
  usage?: Record<string, number>;
  finish_reason?: string;
  error?: { code: string; message: string };
};

export type Model = Schemas['Model'];
export type Balance = Schemas['Balance'];
export type Transaction = Schemas['Transaction'];
export type Usage = Schemas['Usage'];
export type StoredFile = Schemas['File'];
export type DownloadUrl = Schemas['DownloadUrl'];
export type ApiKey = Schemas['ApiKey'];
export type ApiKeyRequest = Schemas['ApiKeyRequest'];
export type CreatedApiKey = Schemas['CreatedApiKey'];
export type RotatedApiKey = Schemas['RotatedApiKey'];
export type RevokedApiKey = Schemas['RevokedApiKey'];
export type PortalSessionRequest = Schemas['PortalSessionRequest'];
export type PortalSession = Schemas['PortalSession'];
export type RevokedPortalSession = Schemas['RevokedPortalSession'];
export type WebhookEndpoint = Schemas['WebhookEndpoint'];
export type WebhookEndpointRequest = Schemas['WebhookEndpointRequest'];
export type WebhookEndpointChanges = Schemas['WebhookEndpointChanges'];
export type CreatedWebhookEndpoint = Schemas['CreatedWebhookEndpoint'];
export type WebhookEndpointActivity = Schemas['WebhookEndpointActivity'];
export type WebhookEndpointBacklog = Schemas['WebhookEndpointBacklog'];
export type WebhookSecret = Schemas['WebhookSecret'];
export type RotatedWebhookSecret = Schemas['RotatedWebhookSecret'];
export type Delivery = Schemas['Delivery'];
export type TestCallResult = Schemas['TestCallResult'];
export type Recovered = Schemas['Recovered'];

/**
 * The models of your Holdfast, by slug. Empty here: `npx @holdfast/sdk types > models.d.ts` writes a file that fills it,
 * and then the compiler checks the names, inputs and outputs of models.
 */
// oxlint-disable-next-line typescript/no-empty-interface, typescript/no-empty-object-type -- users' files extend it
export interface Models {}

/** The slug of a model. */
export type ModelSlug = keyof Models extends never ? string : Extract<keyof Models, string>;

/** The input of a model. Anything file-like in it is uploaded. */
export type InputOf<Slug> = Slug extends keyof Models
  ? Models[Slug] extends { input: infer Input }
    ? Input
    : never
  : Record<string, unknown>;

/** The output of a model. Its files have `.url()`, `.bytes()` and `.save(path)`. */
export type OutputOf<Slug> = Slug extends keyof Models
  ? Models[Slug] extends { output: infer Output }
    ? Output
    : never
  : // oxlint-disable-next-line typescript/no-explicit-any -- outputs are whatever the model returns
    Record<string, any>;

/** The slug of a model that streams. */
export type StreamingSlug = keyof Models extends never
  ? string
  : { [Slug in keyof Models]: Models[Slug] extends { delta: unknown } ? Slug : never }[keyof Models];

/**
 * A piece of a model's streamed output: text, base64 of audio, or a JSON value. A model that makes images shows `{ image }`
 * with the id of each partial image, then its output.
 */
export type DeltaOf<Slug> = Slug extends keyof Models
  ? Models[Slug] extends { delta: infer Delta }
    ? Delta
    : never
  : // oxlint-disable-next-line typescript/no-explicit-any -- the model decides what it is
    any;

/** Whether a body is the record of an execution: a proxy's JSON would make a wait lose its id. */
export const isExecution = (body: { id?: unknown; status?: unknown }) =>
  typeof body.id === 'string' && typeof body.status === 'string';

export const isBatch = (body: { id?: unknown; counts?: unknown }) =>
  typeof body.id === 'string' && typeof body.counts === 'object';

const finalStatuses: readonly string[] = ['COMPLETED', 'FAILED', 'CANCELLED', 'EXPIRED'];

/** Whether an execution has a final status, also one that this version does not know. */
export function isEnded(execution: { status: ExecutionStatus; completed_at?: string | null }): boolean {
  return finalStatuses.includes(execution.status) || (execution.completed_at ?? null) !== null;
}
