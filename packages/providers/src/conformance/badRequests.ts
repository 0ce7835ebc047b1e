import { describe, expect, it } from '@jest/globals';
import type { Reply } from './fakeServer.ts';
import { expectNothingLeaks, messageOf, neverAborted, rawOf, type TestSetup } from './setup.ts';
import { type Subject, secrets, submissionOf } from './subject.ts';

const words = `${secrets.upstream} - 9999 is greater than the maximum (${secrets.apiKey})`;

/** Bad requests whose cause is unclear: a wrong key, an unknown model or wrong options are as likely as a wrong input. */
const vague: Reply[] = [
  {
    status: 400,
    json: { error: { message: words, type: 'invalid_request_error', param: null, code: null } },
  },
  { status: 400, json: { error: words, detail: words, title: words } },
  { status: 400, text: `<html>${words}</html>` },
  { status: 400, json: {} },
  { status: 415, json: {} },
  { status: 422, json: { detail: words } },
];

/** Whether the client or the operator caused a bad request, and what the client reads. */
export function describeBadRequests(subject: Subject, setup: () => TestSetup): void {
  const submit = async (reply: Reply, part: Parameters<typeof submissionOf>[1] = {}) => {
    const { fakeServer, provider } = setup();
    fakeServer.reply(reply);
    return await provider.submit(submissionOf(subject, part), neverAborted);
  };
  const operators = {
    state: 'refused',
    retryAfterMs: null,
    outcome: { code: 'MODEL_UNAVAILABLE', message: 'The model is not available at the moment.' },
    alert: expect.stringMatching(/^the connection returned 4\d\d\b/),
  };

  describe(`${subject.name}: a bad request`, () => {
    it('about a field of the input is reported to the client with the name of the field', async () => {
      const progress = await submit(subject.invalid('width', words));
      expect(progress).toMatchObject({ state: 'ended', outcome: { code: 'INPUT_VALIDATION_ERROR' } });
      expect(progress).not.toHaveProperty('alert');
      expect(messageOf(progress)).toBe('The model refused the input: check input.width.');
      expect(rawOf(progress)).toContain(secrets.upstream);
      expectNothingLeaks(progress, subject, setup());
    });

    it("about a renamed field is reported with the client's name of it", async () => {
      expect(messageOf(await submit(subject.invalid('image', words)))).toBe(
        'The model refused the input: check input.picture.',
      );
    });

    it('about a field that clients do not set is reported to the operator', async () => {
      const progress = await submit(subject.invalid('azure_deployment', words));
      expect(progress).toMatchObject(operators);
      expectNothingLeaks(progress, subject, setup());
    });

    it.each(vague)('with an unclear cause is reported to the operator: %j', async (reply) => {
      const progress = await submit(reply);
      expect(progress).toMatchObject(operators);
      expectNothingLeaks(progress, subject, setup());
    });

    it('that is too large is reported to the client', async () => {
      expect(await submit({ status: 413, text: `<html>${words}</html>` })).toMatchObject({
        state: 'ended',
        outcome: { code: 'INPUT_VALIDATION_ERROR', message: 'The model refused the input.' },
      });
    });

    it('that matches an error rule of the model is reported to the client', async () => {
      const errors = [
        { match: 'greater than', code: 'INPUT_VALIDATION_ERROR', message: 'Too wide.' } as const,
      ];
      const mapping = { ...submissionOf(subject).mapping, errors };
      const progress = await submit(subject.invalid('azure_deployment', words), { mapping });
      expect(progress).toMatchObject({ state: 'ended', outcome: { message: 'Too wide.' } });
    });

    it('is reported in the words of the provider if the model shows them, without our keys', async () => {
      const mapping = { ...submissionOf(subject).mapping, show: ['validation'] as const };
      const message = messageOf(await submit(subject.invalid('width', words), { mapping }));
      expect(message).toContain(`${secrets.upstream} - 9999 is greater than the maximum`);
      expect(message).not.toContain(secrets.apiKey);
    });
  });
}
