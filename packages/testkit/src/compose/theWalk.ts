import { servicePort } from '@holdfast/local/launch/ports';
import { blocks, promisesOfTheWalk, walk } from '../walk.ts';
import { need, type Stage } from './stage.ts';

/** The block that those who run Holdfast by compose paste before the walk. */
function preparation(baseUrl: string): string {
  const block = blocks('A walk with curl', 'sh').find((text) => text.includes('docker compose logs migrate'));
  if (!block?.includes('http://localhost:8080'))
    throw new Error('the README does not prepare the walk by compose');
  return block.replace('http://localhost:8080', baseUrl);
}

/** The README's walk, pasted as it stands, on the port of this stack. */
export async function doTheWalk(stage: Stage): Promise<void> {
  const { project, settings, environment, check } = stage;
  let output = '';
  await need(stage, "the README's walk comes to its end", async () => {
    const env = { ...environment, TMPDIR: project.folder, RECEIVER_PORT: String(await servicePort()) };
    output = await walk(project.folder, env, preparation(settings.baseUrl));
  });
  for (const [name, holds] of Object.entries(promisesOfTheWalk))
    await check(`the walk ${name}`, () => holds(output));
}
