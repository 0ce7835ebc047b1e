import { describe, expect, it } from '@jest/globals';
import { attachment, extensionIn, sanitiseFilename } from './filename.ts';

describe('sanitiseFilename', () => {
  it.each([
    ['photo.png', 'photo.png'],
    ['/etc/passwd', 'passwd'],
    ['..\\..\\boot.ini', 'boot.ini'],
    ['a\r\nb\0.png', 'ab.png'],
    ['gpj.\u202eexe', 'gpj.exe'],
    ['  spaced.txt  ', 'spaced.txt'],
    ['', 'file'],
    ['..', 'file'],
    ['dir/', 'file'],
    ['\ud800', '\ufffd'],
    ['猫.png', '猫.png'],
    ['می\u200cخواهم.png', 'می\u200cخواهم.png'],
    ['👩\u200d💻.png', '👩\u200d💻.png'],
    ['\u200c\u200d', 'file'],
    ['a\u200b\u2066b.png', 'ab.png'],
  ])('turns %j into %j', (given, expected) => {
    expect(sanitiseFilename(given)).toBe(expected);
  });

  it('cuts at 255 bytes between characters and keeps the extension', () => {
    const name = sanitiseFilename(`${'猫'.repeat(200)}.png`);
    expect(name).toBe(`${'猫'.repeat(83)}.png`);
    expect(Buffer.byteLength(sanitiseFilename('x'.repeat(1000)))).toBe(255);
  });
});

it.each([
  ['a.PNG', 'png'],
  ['weights.tar.gz', 'gz'],
  ['.env', null],
  ['noname', null],
  ['a.', null],
  ['a.b c', null],
])('the extension in %j is %j', (name, extension) => {
  expect(extensionIn(name)).toBe(extension);
});

describe('attachment', () => {
  it('has an ASCII name for old clients and the full name', () => {
    expect(attachment("it's (猫).png")).toBe(
      `attachment; filename="it's (_).png"; filename*=UTF-8''it%27s%20%28%E7%8C%AB%29.png`,
    );
  });

  it('escapes names that would break the header', () => {
    expect(attachment('a"\r\nX: y')).toBe(
      `attachment; filename="a___X: y"; filename*=UTF-8''a%22%0D%0AX%3A%20y`,
    );
  });
});
