import { z } from 'zod';
import { unbounded } from '../apiKeys/boundsFor.ts';
import type { Caller, Endpoint, EndpointRequest } from '../http/endpoint.ts';
import { idField } from '../http/fields.ts';
import { findOrganization } from './findOrganization.ts';

type Handled = EndpointRequest<{ organization_id: string }, undefined, undefined>;

/**
 * What an organization can do for itself, done by the operator: `/v1/x` becomes
 * `/admin/v1/organizations/{organization_id}/x`, and answers the same. 404 for an organization that is unknown.
 */
export function onBehalf(of: Endpoint): Endpoint {
  const handle = of.handle as (request: Handled) => ReturnType<Endpoint['handle']>;
  return {
    ...of,
    path: of.path.replace('/v1', '/admin/v1/organizations/{organization_id}'),
    access: 'operator',
    params: (of.params ?? z.object({})).extend({ organization_id: idField('org') }),
    async handle(request: Handled) {
      const { id, testOf } = await findOrganization(request.context, request.params.organization_id);
      const isTest = testOf !== null;
      const caller: Caller = { organizationId: id, apiKeyId: 'operator', isTest, ...unbounded };
      return await handle({ ...request, caller });
    },
  };
}
