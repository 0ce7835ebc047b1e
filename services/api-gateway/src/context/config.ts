import { parseAdminTokens } from '@holdfast/domain/adminTokens';
import { environmentColors, parseEnvironment } from '@holdfast/domain/environment';
import { operatorsWithoutToken, parseAdminRoles } from '@holdfast/domain/operators';
import { isPageUrl } from '@holdfast/domain/portal';
import { webhookEgressConfig } from '@holdfast/egress/config';
import { fileStoreConfig, fileStoreProblems } from '@holdfast/files/config';
import { baseConfig, databaseUrl, flag, listOf, parseConfig, port, positiveInt } from '@holdfast/kit/config';
import { databaseServers } from '@holdfast/kit/databaseAddress';
import { encryptionKeys } from '@holdfast/kit/sealedBox';
import { tracingConfig } from '@holdfast/kit/tracing/config';
import { z } from 'zod';
import { oidcConfig, oidcProblems } from '../access/oidc/config.ts';

export const compatibleApis = ['openai', 'replicate', 'fal'] as const;

export const gatewayConfig = {
  ...baseConfig,
  ...tracingConfig,
  ...fileStoreConfig,
  PORT: port().default(8080).describe('Port of the API; 0 chooses a free one'),
  ADMIN_PORT: port()
    .default(8081)
    .describe('Port of the admin API, which must not be public; 0 chooses a free one'),
  ADMIN_TOKEN: z
    .string()
    .refine(
      (text) => parseAdminTokens(text) !== null,
      'must be at least 16 visible ASCII characters without : and ,, or a list name:token,name:token with a different token per operator',
    )
    .describe('Bearer token of the admin API, at least 16 characters; or a list `name:token,name:token`'),
  ADMIN_ROLES: z
    .string()
    .default('')
    .refine(
      (text) => parseAdminRoles(text) !== null,
      'must be a list name:role,name:role of viewer, support and admin',
    )
    .describe(
      'What operators may do, by the names of ADMIN_TOKEN: a list `name:viewer,name:support,name:admin`; default: `admin`',
    ),
  ENVIRONMENT_NAME: z
    .string()
    .transform((text, check) => {
      const environment = parseEnvironment(text);
      if (environment) return environment;
      check.addIssue({
        code: 'custom',
        message: `must be a name of at most 24 letters, digits, spaces and ._-, or name:color with one of ${environmentColors.join(', ')}`,
      });
      return z.NEVER;
    })
    .optional()
    .describe(
      `What the console calls this installation on every page and dialog, such as \`production\`: in a color that follows from the name, or as \`name:color\` (${environmentColors.join(', ')}); default: it shows none`,
    ),
  ...oidcConfig,
  ENCRYPTION_KEYS: encryptionKeys,
  DATABASE_REPLICA_URL: databaseUrl()
    .refine((url) => databaseServers(url).length === 1, 'names more than one server')
    .optional()
    .describe('A streaming replica of DATABASE_URL from which lists are read; default: the primary'),
  DATABASE_REPLICA_MAX_LAG_S: positiveInt()
    .default(5)
    .describe('Lists are read from the primary while the replica lags more than this'),
  ...webhookEgressConfig,
  RATE_LIMIT_CREATE_PER_MINUTE: positiveInt()
    .default(600)
    .describe('Executions that an API key may create per minute'),
  RATE_LIMIT_PER_MINUTE: positiveInt()
    .default(3000)
    .describe(
      'Other requests per minute, counted per API key, per address for requests without a key, and per operator',
    ),
  RATE_LIMIT_TOKEN_PER_MINUTE: positiveInt()
    .default(300)
    .describe('Requests per minute with the tokens of one execution'),
  BODY_TIMEOUT_S: positiveInt()
    .default(30)
    .describe('Seconds within which a request body must arrive; an upload may take an hour'),
  BODY_MIN_BYTES_PER_S: positiveInt()
    .default(1024)
    .describe(
      'Minimum rate of a request body or an upload, measured over 10 s (or BODY_TIMEOUT_S if shorter); a slower one gets 408',
    ),
  BODY_MEMORY_MIB: positiveInt()
    .min(16)
    .default(64)
    .describe(
      'MiB of memory per gateway for the bodies of open requests, at most half of it for one organization; further requests get 429 or 503',
    ),
  RESPONSE_MEMORY_MIB: positiveInt()
    .min(64)
    .default(128)
    .describe(
      'MiB of memory per gateway for responses and events over 64 KiB on their way to clients, at most half of it for one organization; further reads get 429 or 503, and further events break their stream off',
    ),
  EVENT_STREAMS_PER_KEY: positiveInt()
    .default(500)
    .describe('Maximum number of open event streams per API key and gateway'),
  EVENT_STREAMS: positiveInt()
    .default(4000)
    .describe('Maximum number of open event streams per gateway; one organization gets at most half of them'),
  STOP_DELAY_S: z.coerce
    .number()
    .min(0)
    .max(60)
    .default(0)
    .describe(
      'Seconds that a stopping gateway keeps serving while /readyz fails, so that load balancers can remove it; it exits at most 30 s later',
    ),
  REQUIRE_IDEMPOTENCY_KEY: flag()
    .default(false)
    .describe('true: creating an execution requires an Idempotency-Key'),
  CORS_ORIGINS: z
    .string()
    .default('')
    .transform(listOf)
    .refine(
      (origins) => origins.every(isCorsOrigin),
      'must be origins such as https://app.example, separated by commas, or *',
    )
    .describe('Origins whose pages may call the API (`https://app.example,...`, or `*`); default: none'),
  COMPATIBLE_APIS: z
    .string()
    .default('')
    .transform(listOf)
    .pipe(z.array(z.enum(compatibleApis)))
    .describe(
      `Other services' APIs that the gateway also speaks, for their clients: ${compatibleApis.map((name) => `\`${name}\``).join(', ')}, separated by commas; default: none`,
    ),
  FAL_HOSTS: z
    .string()
    .default('')
    .transform(listOf)
    .refine(
      (hosts) => hosts.every(isHostName),
      'must be host names such as fal.example.com, separated by commas',
    )
    .describe(
      'Host names, without a port, at which the gateway speaks fal alone, from the root on; `queue.` and `rest.` below each too; default: none',
    ),
  COMPATIBLE_WAIT_S: positiveInt()
    .max(3600)
    .default(300)
    .describe(
      'Seconds that a request to a compatible API waits for its execution; the client can repeat it after that, and waits on',
    ),
  PUBLIC_MODELS: flag()
    .default(false)
    .describe(
      'true: /docs/models lists names, descriptions and prices of the active models to everyone; default: to API keys only',
    ),
  PORTAL_TOP_UP_URL: z
    .string()
    .refine((text) => isPageUrl(text.replaceAll('{organization_id}', '')), 'must be an https URL')
    .optional()
    .describe(
      'Your payment page, to which the portal links for top-ups; `{organization_id}` in it is replaced; default: none',
    ),
  TRUST_PROXY: z.coerce
    .number()
    .int()
    .min(0)
    .default(0)
    .describe('Number of trusted proxies in front of the gateway that set X-Forwarded-For'),
};

export type GatewayConfig = z.infer<z.ZodObject<typeof gatewayConfig>>;

export function readConfig(env = process.env): GatewayConfig {
  return parseConfig(gatewayConfig, env, [fileStoreProblems, adminRoleProblems, oidcProblems]);
}

function adminRoleProblems({
  ADMIN_ROLES: roles = '',
  ADMIN_TOKEN: tokens = '',
}: NodeJS.ProcessEnv): string[] {
  return operatorsWithoutToken(roles, tokens).map(
    (name) => `ADMIN_ROLES: ADMIN_TOKEN has no operator named ${name}; without an entry, one is an admin`,
  );
}

function isHostName(text: string): boolean {
  return /^[a-z0-9-]+(\.[a-z0-9-]+)*$/.test(text);
}

/** Whether an item of CORS_ORIGINS is an origin as browsers send it, or `*`. */
function isCorsOrigin(text: string): boolean {
  return text === '*' || (/^https?:/.test(text) && URL.canParse(text) && new URL(text).origin === text);
}
