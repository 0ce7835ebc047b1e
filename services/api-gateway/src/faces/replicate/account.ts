import { getOrganization } from '@holdfast/db/organizations';
import { getWebhookSecret } from '@holdfast/db/webhooks/secrets';
import { type Endpoint, endpoint } from '../../context/endpoint.ts';
import { onePage } from './page.ts';

const common = {
  method: 'GET',
  tag: 'Replicate',
  limit: 'other',
  responses: { 200: { description: 'As Replicate gives it', schema: null } },
} as const;

export const getReplicateAccount = endpoint({
  ...common,
  path: '/v1/replicate/account',
  operationId: 'getReplicateAccount',
  summary: 'Read the account',
  scope: 'any',
  async handle({ context, caller }) {
    const organization = await getOrganization(context.db, caller.organizationId);
    const { id, name } = organization ?? { id: caller.organizationId, name: caller.organizationId };
    return { status: 200, body: { type: 'organization', username: id, name, github_url: null } };
  },
});

/** Signs what the `webhook` of a prediction receives. */
export const getReplicateWebhookSecret = endpoint({
  ...common,
  path: '/v1/replicate/webhooks/default/secret',
  operationId: 'getReplicateWebhookSecret',
  summary: 'Read the secret of webhooks',
  scope: 'webhooks',
  async handle({ context, caller }) {
    const { sealedSecret } = await getWebhookSecret(context.db, caller.organizationId);
    return { status: 200, body: { key: context.box.open(sealedSecret) } };
  },
});

const empty = (name: string, summary: string) =>
  endpoint({
    ...common,
    path: `/v1/replicate/${name}`,
    operationId: `listReplicate${name[0]?.toUpperCase()}${name.slice(1)}`,
    summary,
    scope: 'any',
    handle: async () => onePage([]),
  });

/** What Holdfast does not have. */
export const emptyPages: readonly Endpoint[] = [
  empty('collections', 'List collections of models'),
  empty('deployments', 'List deployments'),
  empty('trainings', 'List trainings'),
  endpoint({
    ...common,
    path: '/v1/replicate/hardware',
    operationId: 'listReplicateHardware',
    summary: 'List hardware',
    scope: 'any',
    handle: async () => ({ status: 200, body: [] }),
  }),
];
