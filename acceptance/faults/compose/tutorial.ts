import { servicePort } from '@holdfast/local/launch/ports';
import { blocks, runTutorial, tutorialChecks } from '../../clients/docs/tutorial.ts';
import { need, type TestContext } from './context.ts';

/** The block that users of compose paste before the tutorial. */
function preparation(baseUrl: string): string {
  const block = blocks('docs/tutorial.md', 'sh').find((text) => text.includes('docker compose logs migrate'));
  if (!block?.includes('http://localhost:8080'))
    throw new Error('docs/tutorial.md has no preparation for compose');
  return block.replace('http://localhost:8080', baseUrl);
}

/** Runs docs/tutorial.md as it stands, on the port of this stack. */
export async function followTutorial(context: TestContext): Promise<void> {
  const { project, settings, environment, check } = context;
  let output = '';
  await need(context, 'the tutorial runs to its end', async () => {
    const env = { ...environment, TMPDIR: project.folder, RECEIVER_PORT: String(await servicePort()) };
    output = await runTutorial(project.folder, env, preparation(settings.baseUrl));
  });
  for (const [name, holds] of Object.entries(tutorialChecks))
    await check(`the tutorial ${name}`, () => holds(output));
}
