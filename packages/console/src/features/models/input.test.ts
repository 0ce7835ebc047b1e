import { describe, expect, it } from '@jest/globals';
import { RequestError } from '../../api.ts';
import { inputFor, isEasy, isIncomplete } from './input.ts';
import type { Definition } from './models.ts';

const file = 'file_01a2b3c4-0000-7000-8000-00000000000f';

function modelOf(inputSchema: object, connection = 'sandbox') {
  const providers = [{ connection }];
  return { definition: { input_schema: inputSchema, providers } as unknown as Definition };
}

const example = { prompt: 'A lighthouse', image: file, images: [file] };
const model = modelOf({ examples: [example], required: ['prompt'] });

describe('the form of a model', () => {
  it('begins with the example, whose files only a test has', () => {
    expect(inputFor(model, 'org_1', null)).toEqual({ prompt: 'A lighthouse' });
    expect(inputFor(modelOf({}), 'org_1', null)).toEqual({});
  });

  it('goes on with a draft, whose files stay with their organization', () => {
    const draft = { organizationId: 'org_1', input: { prompt: 'mine', image: file } };
    expect(inputFor(model, 'org_1', draft)).toEqual(draft.input);
    expect(inputFor(model, 'org_2', draft)).toEqual({ prompt: 'mine' });
  });
});

describe('a model to begin with', () => {
  it.each([
    ['runs in the sandbox as it is', model, true],
    ['is run by no provider that costs something', modelOf({}, 'replicate'), false],
    ['needs no file', modelOf({ examples: [example], required: ['image'] }), false],
  ])('%s', (_title, given, expected) => {
    expect(isEasy(given)).toBe(expected);
  });
});

describe('an input', () => {
  const problem = (code: string) => ({ field: 'input.prompt', code, message: '' });
  const refused = (...codes: string[]) => new RequestError(400, 'VALIDATION_ERROR', '', codes.map(problem));

  it('is incomplete while all that is wrong with it is missing', () => {
    expect(isIncomplete(refused('REQUIRED', 'REQUIRED'))).toBe(true);
    expect(isIncomplete(refused('REQUIRED', 'TOO_LONG'))).toBe(false);
    expect(isIncomplete(refused())).toBe(false);
    expect(isIncomplete(new Error('lost'))).toBe(false);
  });
});
