import { beforeEach, describe, expect, it } from '@jest/globals';
import { draftOf, dropDraftsOfOtherSessions } from './drafts.ts';

const maxLength = 1000;

/** As browsers have it: its keys are properties. */
class Memory {
  getItem(key: string): string | null {
    return Object.hasOwn(this, key) ? String(Reflect.get(this, key)) : null;
  }
  setItem(key: string, value: string): void {
    if (value.length > maxLength) throw new Error('QuotaExceededError');
    Reflect.set(this, key, value);
  }
  removeItem(key: string): void {
    Reflect.deleteProperty(this, key);
  }
}

const draft = { organizationId: 'org_1', input: { prompt: 'A lighthouse' } };
let storage: Storage;
const of = (model: string, session: string) => draftOf(model, session, storage);

beforeEach(() => {
  storage = new Memory() as unknown as Storage;
});

describe('a draft', () => {
  it('is kept for its model and session alone, until it is dropped', () => {
    of('flux', 'ses_1').keep(draft);
    expect(of('flux', 'ses_1').read()).toEqual(draft);
    expect(of('whisper', 'ses_1').read()).toBeNull();
    expect(of('flux', 'ses_2').read()).toBeNull();
    of('flux', 'ses_1').drop();
    expect(of('flux', 'ses_1').read()).toBeNull();
  });

  it('that became too large for the browser is dropped, and does not come back old', () => {
    of('flux', 'ses_1').keep(draft);
    of('flux', 'ses_1').keep({ ...draft, input: { prompt: 'x'.repeat(maxLength) } });
    expect(of('flux', 'ses_1').read()).toBeNull();
  });

  it.each([
    ['of another session is dropped', 'ses_2', null],
    ['is dropped when the session has ended', null, null],
    ['of this session stays', 'ses_1', draft],
  ])('%s', (_title, session, left) => {
    of('flux', 'ses_1').keep(draft);
    storage.setItem('theme', 'dark');
    dropDraftsOfOtherSessions(session, storage);
    expect(of('flux', 'ses_1').read()).toEqual(left);
    expect(storage.getItem('theme')).toBe('dark');
  });
});
