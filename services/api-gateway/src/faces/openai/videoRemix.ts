import { readInputs } from '@holdfast/db/executions/read';
import { invalidField } from '@holdfast/domain/errors';
import type { ModelDefinition } from '@holdfast/domain/modelDefinition';
import { openaiVideo } from '@holdfast/domain/webhookDialect';
import { z } from 'zod';
import { endpoint } from '../../context/endpoint.ts';
import { findExecution } from '../../executions/readable.ts';
import { createFrom } from '../run.ts';
import { withFiles } from './fileInput.ts';
import { inputFor } from './mapping.ts';
import { requireNamed } from './models.ts';
import { requireOutput } from './output.ts';
import { filePropertiesOf } from './properties.ts';
import { findVideo, ofVideos, videoOf, videosRoute } from './videos.ts';

const route = `${videosRoute}/{id}/remix`;

/** Another run of the same model, with the settings of the first, its video and a new prompt. */
export const postVideoRemix = endpoint({
  ...ofVideos,
  method: 'POST',
  path: route,
  operationId: 'remixOpenaiVideo',
  summary: 'Make a video from another',
  scope: 'executions:write',
  limit: 'create',
  params: z.object({ id: z.string() }),
  body: z.looseObject({ prompt: z.string().min(1) }),
  async handle({ params: of, body, ...call }) {
    const { context, caller } = call;
    const former = await findVideo(context, caller, of.id);
    if (former.status !== 'COMPLETED')
      throw invalidField('video_id', 'NOT_COMPLETED', 'Only a video that has completed can be remixed.');
    const { definition } = await requireNamed(context, caller, former.model, 'videos');
    const [video] = await requireOutput(call, former, 'videos');
    const inputs = await readInputs(context.db, caller.organizationId, [former.id]);
    const settings = inputs.get(former.id) ?? {};
    const request = { ...call, terms: { webhookDialect: openaiVideo } };
    const created = await createFrom(request, `POST ${route}`, { ...body, video_id: of.id }, () => ({
      model: definition.slug,
      input: remixInput(definition, settings, body.prompt, video.id),
      metadata: { remixed_from_video_id: of.id },
    }));
    const execution = await findExecution(context, caller, created.execution.id);
    return { status: 200, body: videoOf(execution), headers: created.headers };
  },
});

/** Its video takes the place of the files that the first was made from. @throws ApiError for a model that takes none */
function remixInput(
  definition: ModelDefinition,
  former: Record<string, unknown>,
  prompt: string,
  video: string,
): Record<string, unknown> {
  const files = new Set(filePropertiesOf(definition).map(({ name }) => name));
  const settings = Object.fromEntries(Object.entries(former).filter(([name]) => !files.has(name)));
  const wanted = [{ field: 'prompt', value: prompt, isEssential: true }];
  const input = inputFor(definition, 'videos', wanted, settings);
  return withFiles(definition, 'videos', input, [{ field: 'video', id: video }]);
}
