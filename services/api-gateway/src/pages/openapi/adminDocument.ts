import { createDocument } from 'zod-openapi';
import type { Endpoint } from '../../http/endpoint.ts';
import { type ApiDocument, pathsOf } from './document.ts';
import { version } from './overview.ts';
import { commonHeaders } from './responses.ts';
import { schemaForClients } from './schemas.ts';

const description =
  'The API of operators, on its own port, which must not be public. Every change is recorded under the name of the operator.';

export function createAdminDocument(endpoints: readonly Endpoint[]): ApiDocument {
  const named = endpoints.map((one) => ({ ...one, operationId: operationIdOf(one) }));
  return createDocument(
    {
      openapi: '3.1.0',
      info: {
        title: 'Holdfast admin API',
        version,
        description,
        license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
      },
      servers: [{ url: '/', description: 'The admin port of a Holdfast' }],
      security: [{ adminToken: [] }, { session: [] }],
      paths: pathsOf(named, [{ adminToken: [] }, { session: [] }]),
      components: {
        headers: commonHeaders,
        securitySchemes: {
          adminToken: { type: 'http', scheme: 'bearer', description: 'A token of `ADMIN_TOKEN`' },
          session: {
            type: 'apiKey',
            in: 'cookie',
            name: 'holdfast_session',
            description: 'A session of the console',
          },
        },
      },
    },
    { override: schemaForClients },
  ) as ApiDocument;
}

/** `POST /admin/v1/executions/{id}/cancel` is `postExecutionsByIdCancel`: endpoints here have no names of their own. */
function operationIdOf({ method, path }: Endpoint): string {
  const words = path
    .replace('/admin/v1/', '')
    .replaceAll('{', 'by-')
    .split(/[^A-Za-z]+/)
    .filter((word) => word !== '');
  return method.toLowerCase() + words.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join('');
}
