import type { ModelDefinition } from '@holdfast/domain/modelDefinition';
import { createInput } from '../inputFiles.ts';
import { createWithFiles } from '../requestFiles.ts';
import { type Created, createFrom, type FaceCall } from '../run.ts';
import { requestIdHeader } from './errors.ts';
import { ownFile } from './output.ts';

export type FalCall = FaceCall & { publicUrl: string };

type Submitted = {
  route: string;
  definition: ModelDefinition;
  input: Record<string, unknown>;
  isStreamed?: boolean;
};

/** Creates an execution or joins one, which every response from then on names. @throws ApiError */
export async function submit(call: FalCall, submitted: Submitted): Promise<Created> {
  const { route, definition, input, isStreamed = false } = submitted;
  const { headers, raw } = call;
  const priority = headers['x-fal-queue-priority'] === 'low' ? 'low' : undefined;
  const repeated = { model: definition.slug, input, priority };
  const created = await createWithFiles(call, (files) => {
    const read = createInput(definition, input, files, (url) => ownFile(call, url));
    return createFrom(call, route, repeated, async () => ({
      model: definition.slug,
      input: await read(),
      ...(priority !== undefined && { priority }),
      ...(isStreamed && { stream: true }),
    }));
  });
  raw.response.setHeader(requestIdHeader, created.execution.id);
  return { ...created, headers: { ...created.headers, [requestIdHeader]: created.execution.id } };
}
