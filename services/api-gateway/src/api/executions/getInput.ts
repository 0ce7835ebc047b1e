import { readInputs } from '@holdfast/db/executions/read';
import { ApiError } from '@holdfast/domain/errors';
import { z } from 'zod';
import { endpoint } from '../../context/endpoint.ts';
import { ModelInput } from '../../executions/createRequest.ts';
import { findExecution } from '../../executions/readable.ts';
import { idField, idParams } from '../../http/fields.ts';

/** Not for execution tokens: a web page need not see the prompts of its server. */
export const getInput = endpoint({
  method: 'GET',
  path: '/v1/executions/{id}/input',
  operationId: 'getExecutionInput',
  tag: 'Executions',
  summary: "Read an execution's input",
  description:
    'The input as submitted, with the defaults of the model. 410 `EXECUTION_ERASED` once it is erased.',
  scope: 'executions:read',
  limit: 'other',
  params: idParams('exec', 'id'),
  responses: {
    200: {
      description: 'The input',
      schema: z.object({ execution_id: idField('exec'), input: ModelInput }).meta({ id: 'ExecutionInput' }),
    },
  },
  errors: ['EXECUTION_ERASED'],
  async handle({ context, caller, params }) {
    const { organizationId } = caller;
    const { id } = await findExecution(context, caller, params.id);
    const inputs = await context.reader.readPrimary(organizationId, (db) =>
      readInputs(db, organizationId, [id]),
    );
    const input = inputs.get(id);
    if (!input) throw new ApiError('EXECUTION_ERASED', 'The input was erased.');
    return { status: 200, body: { execution_id: id, input } };
  },
});
