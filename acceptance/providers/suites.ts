import { bentoml } from './bentoml/bentoml.ts';
import { cog } from './cog/cog.ts';
import { gradio } from './gradio/gradio.ts';
import { litellm } from './litellm/litellm.ts';
import { mlserver } from './mlserver/mlserver.ts';
import type { Suite } from './suite.ts';

/** The servers under test, by the name that `--only` takes. */
export const suites: Record<string, Suite> = { cog, litellm, bentoml, mlserver, gradio };
