import { describe, expect, it } from '@jest/globals';
import { readMessage } from './message.ts';

const request = 'POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\n';

describe('reading messages', () => {
  it('waits for the whole of one', () => {
    expect(readMessage('POST / HTTP/1.1\r\nContent-')).toBeNull();
    expect(readMessage(`${request}{`)).toBeNull();
    expect(readMessage(`${request}{}`)).toMatchObject({ body: '{}', length: request.length + 2 });
  });

  it('takes the first of several', () => {
    expect(readMessage(`${request}{}${request}[]`)).toMatchObject({ body: '{}', length: request.length + 2 });
  });

  it('knows the length by any spelling, and takes none for nothing', () => {
    expect(readMessage('HTTP/1.1 202 Accepted\r\ncontent-length:1\r\n\r\nx')?.body).toBe('x');
    expect(readMessage('HTTP/1.1 204 No Content\r\n\r\n')?.body).toBe('');
  });
});
