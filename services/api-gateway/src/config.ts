import { parseAdminTokens } from '@holdfast/domain/adminTokens';
import { webhookEgressConfig } from '@holdfast/egress/config';
import { fileStoreConfig, fileStoreProblems } from '@holdfast/files/config';
import { baseConfig, databaseUrl, flag, listOf, parseConfig, port, positiveInt } from '@holdfast/kit/config';
import { encryptionKeys } from '@holdfast/kit/sealedBox';
import { tracingConfig } from '@holdfast/kit/tracing/provider';
import { z } from 'zod';
import { isCorsOrigin } from './http/cors.ts';

/** The settings of the gateway. */
export const gatewayConfig = {
  ...baseConfig,
  ...tracingConfig,
  ...fileStoreConfig,
  PORT: port().default(8080).describe('Port of the API; 0 chooses a free one'),
  ADMIN_PORT: port()
    .default(8081)
    .describe('Port of the admin API, not to be published; 0 chooses a free one'),
  ADMIN_TOKEN: z
    .string()
    .refine(
      (text) => parseAdminTokens(text) !== null,
      'must be 16 visible ASCII characters or more without : and ,, or a list name:token,name:token, to each operator another',
    )
    .describe('Bearer token of the admin API, 16 characters or more; or a list `name:token,name:token`'),
  ENCRYPTION_KEYS: encryptionKeys,
  DATABASE_REPLICA_URL: databaseUrl()
    .optional()
    .describe('A streaming replica of DATABASE_URL that lists are read from; the primary unless set'),
  DATABASE_REPLICA_MAX_LAG_S: positiveInt()
    .default(5)
    .describe('Lists are read from the primary while the replica is further behind'),
  ...webhookEgressConfig,
  RATE_LIMIT_CREATE_PER_MINUTE: positiveInt()
    .default(600)
    .describe('Executions an API key may create a minute'),
  RATE_LIMIT_PER_MINUTE: positiveInt()
    .default(3000)
    .describe(
      'Other requests of an API key a minute; also those of an address without a key, and, counted apart, of an operator',
    ),
  BODY_TIMEOUT_S: positiveInt()
    .default(30)
    .describe('Seconds a request body may take to arrive; an upload has an hour'),
  BODY_MIN_BYTES_PER_S: positiveInt()
    .default(1024)
    .describe(
      'Least rate of a request body or an upload, over 10 s (BODY_TIMEOUT_S if that is less); 408 below it',
    ),
  BODY_MEMORY_MIB: positiveInt()
    .min(16)
    .default(64)
    .describe(
      'MiB that one gateway holds of the bodies of requests in flight, half of it for one organization; 429 and 503 beyond',
    ),
  EVENT_STREAMS_PER_KEY: positiveInt()
    .default(100)
    .describe('Event streams of an API key that one gateway holds open at once'),
  EVENT_STREAMS: positiveInt().default(2000).describe('Event streams that one gateway holds open in all'),
  STOP_DELAY_S: z.coerce
    .number()
    .min(0)
    .max(60)
    .default(0)
    .describe(
      'Seconds a gateway that was told to stop still serves while /readyz says no, until balancers send it nothing; it ends within 30 s more',
    ),
  REQUIRE_IDEMPOTENCY_KEY: flag()
    .default(false)
    .describe('true: creating without Idempotency-Key is refused'),
  CORS_ORIGINS: z
    .string()
    .default('')
    .transform(listOf)
    .refine(
      (origins) => origins.every(isCorsOrigin),
      'must be origins as https://app.example, separated by commas, or *',
    )
    .describe('Origins whose pages may call the API (`https://app.example,...`, or `*`); none unless set'),
  TRUST_PROXY: z.coerce
    .number()
    .int()
    .min(0)
    .default(0)
    .describe('Proxies in front of the gateway whose X-Forwarded-For is believed'),
};

export type GatewayConfig = z.infer<z.ZodObject<typeof gatewayConfig>>;

export function readConfig(): GatewayConfig {
  return parseConfig(gatewayConfig, process.env, [fileStoreProblems]);
}
