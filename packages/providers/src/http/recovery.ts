import type { Progress } from '../interface.ts';
import { lost } from '../networkProgress.ts';
import { failure } from '../outcome/failure.ts';
import { answerText, withRaw } from '../outcome/raw.ts';
import { handleOf } from './handle.ts';
import { pathBelow } from './paths.ts';
import { type Ask, readAsked } from './poll.ts';
import { type Reading, secretsOf } from './progress.ts';

/** Asks for a run by our token. 404: it was never accepted. */
export async function lookUp(reading: Reading, template: string, ask: Ask): Promise<Progress> {
  const { options, submission, connection } = reading;
  const { token, providerModel: model } = submission;
  const path = pathBelow(connection, template, { token, model });
  const result = path === null ? null : await ask(path);
  if (path === null || !result?.ok) return { state: 'unknown', outcome: lost };
  const said = answerText(result);
  if (result.status === 404) {
    const outcome = withRaw(failure('MODEL_UNAVAILABLE'), said, secretsOf(reading));
    return { state: 'refused', retryAfterMs: 1000, outcome };
  }
  const handle = handleOf(result, options, submission, connection, path);
  return (
    (await readAsked(result, handle, reading, ask)) ?? {
      state: 'unknown',
      outcome: withRaw(lost, said, secretsOf(reading)),
    }
  );
}
