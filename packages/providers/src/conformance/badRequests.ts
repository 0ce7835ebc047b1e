import { describe, expect, it } from '@jest/globals';
import type { Reply } from './counterpart.ts';
import { expectNothingLeaks, messageOf, never, type Parties, rawOf } from './parties.ts';
import { type Subject, secrets, submissionOf } from './subject.ts';

const words = `${secrets.upstream} - 9999 is greater than the maximum (${secrets.apiKey})`;

/** Bad requests that say nothing of the input: as likely a wrong key, an unknown model, or options that are not right. */
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

/** Whose a bad request is, and what the client reads of it. */
export function describeBadRequests(subject: Subject, parties: () => Parties): void {
  const submit = async (reply: Reply, part: Parameters<typeof submissionOf>[1] = {}) => {
    const { counterpart, provider } = parties();
    counterpart.reply(reply);
    return await provider.submit(submissionOf(subject, part), never);
  };
  const operators = {
    state: 'refused',
    retryAfterMs: null,
    outcome: { code: 'MODEL_UNAVAILABLE', message: 'The model is not available at the moment.' },
    alert: expect.stringMatching(/^the connection returned 4\d\d\b/),
  };

  describe(`${subject.name}: a bad request`, () => {
    it("about a field of the input is the client's, who reads which field it is", async () => {
      const progress = await submit(subject.invalid('width', words));
      expect(progress).toMatchObject({ state: 'ended', outcome: { code: 'INPUT_VALIDATION_ERROR' } });
      expect(progress).not.toHaveProperty('alert');
      expect(messageOf(progress)).toBe('The model refused the input: check input.width.');
      expect(rawOf(progress)).toContain(secrets.upstream);
      expectNothingLeaks(progress, subject, parties());
    });

    it("names a renamed field in the client's words", async () => {
      expect(messageOf(await submit(subject.invalid('image', words)))).toBe(
        'The model refused the input: check input.picture.',
      );
    });

    it("about a field that no client chooses is the operator's", async () => {
      const progress = await submit(subject.invalid('azure_deployment', words));
      expect(progress).toMatchObject(operators);
      expectNothingLeaks(progress, subject, parties());
    });

    it.each(vague)("that says nothing of the input is the operator's: %j", async (reply) => {
      const progress = await submit(reply);
      expect(progress).toMatchObject(operators);
      expectNothingLeaks(progress, subject, parties());
    });

    it("that is too large is the client's", async () => {
      expect(await submit({ status: 413, text: `<html>${words}</html>` })).toMatchObject({
        state: 'ended',
        outcome: { code: 'INPUT_VALIDATION_ERROR', message: 'The model refused the input.' },
      });
    });

    it("that a rule of the model knows is the client's", async () => {
      const errors = [
        { match: 'greater than', code: 'INPUT_VALIDATION_ERROR', message: 'Too wide.' } as const,
      ];
      const mapping = { ...submissionOf(subject).mapping, errors };
      const progress = await submit(subject.invalid('azure_deployment', words), { mapping });
      expect(progress).toMatchObject({ state: 'ended', outcome: { message: 'Too wide.' } });
    });

    it('shows the words of the provider where the model does, without our keys', async () => {
      const mapping = { ...submissionOf(subject).mapping, show: ['validation'] as const };
      const message = messageOf(await submit(subject.invalid('width', words), { mapping }));
      expect(message).toContain(`${secrets.upstream} - 9999 is greater than the maximum`);
      expect(message).not.toContain(secrets.apiKey);
    });
  });
}
