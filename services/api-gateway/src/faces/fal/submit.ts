import type { ModelDefinition } from '@holdfast/domain/modelDefinition';
import type { FalDialect } from '@holdfast/domain/webhookDialect';
import { createInput } from '../inputFiles.ts';
import { createWithFiles } from '../requestFiles.ts';
import { type Created, createFrom, type FaceCall } from '../run.ts';
import { requestIdHeader } from './errors.ts';
import { ownFile } from './output.ts';
import { wishesIn } from './wishes.ts';

export type FalCall = FaceCall & { publicUrl: string };

type Submitted = {
  route: string;
  definition: ModelDefinition;
  input: Record<string, unknown>;
  isStreamed?: boolean;
  /** Where the end of the request is reported. */
  webhookUrl?: string | undefined;
};

/** Creates an execution or joins one, which every response from then on names. @throws ApiError */
export async function submit(call: FalCall, submitted: Submitted): Promise<Created> {
  const { route, definition, input, isStreamed = false, webhookUrl } = submitted;
  const { headers, raw } = call;
  const { priority, ...limited } = wishesIn(headers);
  const repeated = { model: definition.slug, input, priority, webhookUrl, ...limited };
  const events: FalDialect['events'] = ['completed'];
  const dialect: FalDialect = { name: 'fal', events, base: `${call.publicUrl}/v1/fal` };
  const terms = { ...limited, webhookDialect: webhookUrl === undefined ? null : dialect };
  const created = await createWithFiles(call, (files) => {
    const read = createInput(definition, input, files, (url) => ownFile(call, url));
    return createFrom({ ...call, terms }, route, repeated, async () => ({
      model: definition.slug,
      input: await read(),
      ...(priority !== undefined && { priority }),
      ...(webhookUrl !== undefined && { webhook_url: webhookUrl }),
      ...(isStreamed && { stream: true }),
    }));
  });
  raw.response.setHeader(requestIdHeader, created.execution.id);
  return { ...created, headers: { ...created.headers, [requestIdHeader]: created.execution.id } };
}
