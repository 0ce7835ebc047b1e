/** The limits of the contract (2.8, 5.1, 6.3, 8.4, 8.6, 8.8, 9.3, 9.4), and our own sizes. */
export const limits = {
  maxFileBytes: 157_286_400,
  maxApiKeysPerOrganization: 20,
  apiKeyGraceMs: 3_600_000,
  webhookAttempts: 5,
  webhookExpiryMs: 86_400_000,
  webhookTimeoutMs: 30_000,
  webhookSecretOverlapMs: 86_400_000,
  webhookResponseBytes: 65_536,
  /** Bytes of a receiver's response that are kept. */
  loggedResponseBytes: 4096,
  webhookFailuresToNotify: 4,
  webhookFailuresToDeactivate: 10,
  webhookMaxInFlight: 256,
  /** Per lane of an organization's `webhook_url`s; not configurable. */
  webhookUrlMaxInFlight: 128,
  webhookBodyBytes: 262_144,
  holdFactor: '1.2',
  minimumHold: '0.01',
  uploadUrlS: 3600,
  downloadUrlS: 3600,
  jsonBodyBytes: 1_048_576,
  metadataBytes: 16_384,
  customHeaders: 20,
  customHeaderBytes: 4096,
  /** Bytes of all headers of an endpoint: servers limit a request's head, and every event carries these. */
  customHeadersBytes: 16_384,
  urlLength: 2048,
  /** Items of one batch. */
  batchItems: 1_000_000,
  /** Bytes of one request with items, decompressed. */
  batchIntakeBytes: 1_073_741_824,
  customIdLength: 256,
  maxBatchWindowS: 2_592_000,
  defaultBatchWindowS: 86_400,
  /** How long an item may wait for its start once it is admitted; its timeout counts from the start. */
  batchStartS: 86_400,
  jsonDepth: 64,
  /** Digits after the point that a quotient may be off by for `multipleOf`: 0.3 / 0.1 is 2.9999999999999996. */
  multipleOfPrecision: 8,
  /** Characters of JSON, without its files. */
  outputLength: 4_194_304,
  /** Bytes of the outputs or events in a page of a list, which ends with the one that reaches it. */
  pageBytes: 8_388_608,
  errorMessageLength: 2000,
  rawErrorLength: 4096,
  logLength: 65_536,
  /** A cost above this multiple of its hold is not believed: an operator decides about it. */
  reviewFactor: 10,
  /** Nor is a higher figure than this, whatever its hold. */
  maxCost: '1000000000',
  /** Bytes of a callback that is kept in the database; a longer one goes through the object store. */
  callbackBodyBytes: 8_388_608,
  /** Bytes of anything a provider sends that is read into memory: a response, a callback. */
  providerBodyBytes: 134_217_728,
  defaultTimeoutS: 600,
  minTimeoutS: 10,
  maxTimeoutS: 86_400,
  rateLimitWindowMs: 60_000,
} as const;
