/** Spec, "Limits", and the design's sizes. */
export const limits = {
  maxFileBytes: 157_286_400,
  maxApiKeysPerOrganization: 20,
  apiKeyGraceMs: 3_600_000,
  webhookAttempts: 5,
  webhookExpiryMs: 86_400_000,
  webhookTimeoutMs: 30_000,
  /** After a rotation both secrets sign. */
  webhookSecretOverlapMs: 86_400_000,
  webhookResponseBytes: 65_536,
  /** Of what a receiver answers, so much is kept in the log. */
  webhookAnswerBytes: 4096,
  webhookFailuresToTell: 4,
  webhookFailuresToDeactivate: 10,
  /** Requests open at once to one endpoint, unless it says otherwise. */
  webhookMaxInFlight: 8,
  /** To one origin that an organization's `webhook_url`s name; nobody can say otherwise. */
  webhookUrlMaxInFlight: 128,
  /** A larger event is sent thin. */
  webhookBodyBytes: 262_144,
  holdFactor: '1.2',
  minimumHold: '0.01',
  uploadUrlS: 3600,
  downloadUrlS: 3600,
  jsonBodyBytes: 1_048_576,
  metadataBytes: 16_384,
  customHeaders: 20,
  customHeaderBytes: 4096,
  /** Of all of an endpoint: what a head may have at most servers, and read with every event. */
  customHeadersBytes: 16_384,
  urlLength: 2048,
  jsonDepth: 64,
  /** Of an execution's output, in characters of JSON without its files. */
  outputLength: 4_194_304,
  errorMessageLength: 2000,
  /** Of what a provider said went wrong, for the operator. */
  rawErrorLength: 4096,
  /** Of a run's log, its last characters. */
  logLength: 65_536,
  /** No run costs more; a provider's figures that say so are not believed. */
  maxCost: '1000000000',
  callbackBodyBytes: 8_388_608,
  defaultTimeoutS: 600,
  minTimeoutS: 10,
  maxTimeoutS: 86_400,
  rateLimitWindowMs: 60_000,
} as const;
