import { describe, expect, it } from '@jest/globals';
import { nameInHeader, nameInUrl } from './fileName.ts';

describe('the name of a downloaded file', () => {
  it.each([
    ['attachment; filename="a b.srt"', 'a b.srt'],
    ["attachment; filename=x.bin; filename*=UTF-8''na%C3%AFve.csv", 'naïve.csv'],
    ['attachment; filename="\u00c3\u00a9.png"', 'é.png'],
    ['filename="ComfyUI_00001_.png"', 'ComfyUI_00001_.png'],
    ['inline', null],
    ['garbage;;="', null],
    ['', null],
    [undefined, null],
  ])('is read from the Content-Disposition %j', (header, name) => {
    expect(nameInHeader(header)).toBe(name);
  });

  it.each([
    ['https://files.test/a/out%200.tar.gz?signature=x.y', 'out 0.tar.gz'],
    ['https://files.test/%E0%A4%A.png', '%E0%A4%A.png'],
    ['http://comfy.test/view?filename=ComfyUI_1.png&type=output', 'ComfyUI_1.png'],
    ['https://files.test/predictions/abc', null],
    ['https://files.test/', null],
    ['https://files.test/.png', null],
    ['not a URL', null],
  ])('is read from the URL %s', (url, name) => {
    expect(nameInUrl(url)).toBe(name);
  });
});
