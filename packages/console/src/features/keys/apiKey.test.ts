import { describe, expect, it } from '@jest/globals';
import { boundsOf, keyIn, stateOfKey } from './apiKey.ts';

describe('an API key', () => {
  const [past, future] = ['2020-01-01T00:00:00.000Z', '9999-01-01T00:00:00.000Z'];

  it.each([
    ['active', { revoked_at: null, expires_at: null }],
    ['active', { revoked_at: null, expires_at: future }],
    ['expired', { revoked_at: null, expires_at: past }],
    ['revoked', { revoked_at: past, expires_at: past }],
  ])('is %s with %j', (state, key) => {
    expect(stateOfKey(key)).toBe(state);
  });

  it('says what it may do, for which models and from where', () => {
    const bounds: Parameters<typeof boundsOf>[0] = {
      permissions: 'execution',
      scopes: ['files', 'webhooks'],
      models: ['flux'],
      addresses: ['10.0.0.0/8'],
      mode: 'test',
    };
    expect(boundsOf(bounds)).toBe('test · files, webhooks · flux · 10.0.0.0/8');
    expect(boundsOf({ ...bounds, permissions: 'full', models: [], addresses: [], mode: 'live' })).toBe(
      'all scopes',
    );
  });

  it('is asked for as the form describes it', () => {
    const form = new FormData();
    form.set('name', 'shop');
    form.append('scopes', 'files');
    form.append('scopes', 'webhooks');
    form.set('models', 'flux, whisper');
    expect(keyIn(form)).toEqual({
      name: 'shop',
      scopes: ['files', 'webhooks'],
      models: ['flux', 'whisper'],
      addresses: [],
    });
    form.set('expires_at', '2030-01-01T00:00Z');
    form.set('is_test', 'on');
    expect(keyIn(form)).toMatchObject({ expires_at: '2030-01-01T00:00:00.000Z', mode: 'test' });
  });
});
