import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** A file that ffmpeg has written: 2 s, the images of 16 x 8, the videos of 64 x 36 pixels. */
export function fixture(name: string): Buffer {
  return readFileSync(join(import.meta.dirname, 'fixtures', name));
}

/** Videos of 640 x 360 pixels and 3 s as a muxer writes them, with frames of eight bytes; an MP4's measures stand at its end. */
export const mp4 = Buffer.from(
  'AAAAHGZ0eXBpc29tAAACAGlzb21hdmMxbXA0MQAAAEBtZGF0AAAAAAAAABAHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcAAAR8bW9vdgAAAGxtdmhkAAAAAOcngCjnJ4AoAADhAAACowAAAQAAAQAAAAAAAAAAAAAAAAEAAAAAAAAAAAAAAAAAAAABAAAAAAAAAAAAAAAAAABAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAwAAAiJ0cmFrAAAAXHRraGQAAAAD5yeAKOcngCgAAAABAAAAAAACowAAAAAAAAAAAAAAAAAAAAAAAAEAAAAAAAAAAAAAAAAAAAABAAAAAAAAAAAAAAAAAABAAAAAAoAAAAFoAAAAAAG+bWRpYQAAACBtZGhkAAAAAOcngCjnJ4AoAAAACgAAAB5VxAAAAAAAN2hkbHIAAAAAbWhscnZpZGUAAAAAAAAAAAAAAABNZWRpYWJ1bm55VmlkZW9IYW5kbGVyAAAAAV9taW5mAAAAFHZtaGQAAAABAAAAAAAAAAAAAAAkZGluZgAAABxkcmVmAAAAAAAAAAEAAAAMdXJsIAAAAAEAAAEfc3RibAAAAJNzdHNkAAAAAAAAAAEAAACDYXZjMQAAAAAAAAABAAAAAAAAAAAAAAAAAAAAAAKAAWgASAAAAEgAAAAAAAAAARJNZWRpYWJ1bm55IHYxLjYxLjAAAAAAAAAAAAAAAAAAABj//wAAABlhdmNDAUIAH//hAARnQgAfAQACaM4AAAAUYnRydAAAAAAAAABAAAAAQAAAABhzdHRzAAAAAAAAAAEAAAADAAAACgAAABxzdHNjAAAAAAAAAAEAAAABAAAAAQAAAAEAAAAgc3RzegAAAAAAAAAAAAAAAwAAAAgAAAAIAAAACAAAABxzdGNvAAAAAAAAAAMAAAAsAAAAPAAAAEwAAAAUc3RzcwAAAAAAAAABAAAAAQAAAeZ0cmFrAAAAXHRraGQAAAAD5yeAKOcngCgAAAACAAAAAAACowAAAAAAAAAAAAAAAAEBAAAAAAEAAAAAAAAAAAAAAAAAAAABAAAAAAAAAAAAAAAAAABAAAAAAAAAAAAAAAAAAAGCbWRpYQAAACBtZGhkAAAAAOcngCjnJ4AoAAC7gAACMoBVxAAAAAAAN2hkbHIAAAAAbWhscnNvdW4AAAAAAAAAAAAAAABNZWRpYWJ1bm55U291bmRIYW5kbGVyAAAAASNtaW5mAAAAEHNtaGQAAAAAAAAAAAAAACRkaW5mAAAAHGRyZWYAAAAAAAAAAQAAAAx1cmwgAAAAAQAAAOdzdGJsAAAAb3N0c2QAAAAAAAAAAQAAAF9tcDRhAAAAAAAAAAEAAAAAAAAAAAACABAAAAAAu4AAAAAAACdlc2RzAAAAAAMZAAEABBFAFQAAAAAAAEAAAABABQIRkAYBAgAAABRidHJ0AAAAAAAAAEAAAABAAAAAGHN0dHMAAAAAAAAAAQAAAAMAALuAAAAAHHN0c2MAAAAAAAAAAQAAAAEAAAABAAAAAQAAACBzdHN6AAAAAAAAAAAAAAADAAAACAAAAAgAAAAIAAAAHHN0Y28AAAAAAAAAAwAAADQAAABEAAAAVA==',
  'base64',
);

/** Without sound. */
export const mov = Buffer.from(
  'AAAAFGZ0eXBxdCAgAAACAHF0ICAAAAAobWRhdAAAAAAAAAAQBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHAAAClm1vb3YAAABsbXZoZAAAAADnJ4Ao5yeAKAAA4QAAAqMAAAEAAAEAAAAAAAAAAAAAAAABAAAAAAAAAAAAAAAAAAAAAQAAAAAAAAAAAAAAAAAAQAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAIAAAIidHJhawAAAFx0a2hkAAAAA+cngCjnJ4AoAAAAAQAAAAAAAqMAAAAAAAAAAAAAAAAAAAAAAAABAAAAAAAAAAAAAAAAAAAAAQAAAAAAAAAAAAAAAAAAQAAAAAKAAAABaAAAAAABvm1kaWEAAAAgbWRoZAAAAADnJ4Ao5yeAKAAAAAoAAAAeVcQAAAAAADdoZGxyAAAAAG1obHJ2aWRlAAAAAAAAAAAAAAAATWVkaWFidW5ueVZpZGVvSGFuZGxlcgAAAAFfbWluZgAAABR2bWhkAAAAAQAAAAAAAAAAAAAAJGRpbmYAAAAcZHJlZgAAAAAAAAABAAAADHVybCAAAAABAAABH3N0YmwAAACTc3RzZAAAAAAAAAABAAAAg2F2YzEAAAAAAAAAAQAAAAAAAAAAAAAAAAAAAAACgAFoAEgAAABIAAAAAAAAAAESTWVkaWFidW5ueSB2MS42MS4wAAAAAAAAAAAAAAAAAAAY//8AAAAZYXZjQwFCAB//4QAEZ0IAHwEAAmjOAAAAFGJ0cnQAAAAAAAAAQAAAAEAAAAAYc3R0cwAAAAAAAAABAAAAAwAAAAoAAAAcc3RzYwAAAAAAAAABAAAAAQAAAAEAAAABAAAAIHN0c3oAAAAAAAAAAAAAAAMAAAAIAAAACAAAAAgAAAAcc3RjbwAAAAAAAAADAAAAJAAAACwAAAA0AAAAFHN0c3MAAAAAAAAAAQAAAAE=',
  'base64',
);

export const webm = Buffer.from(
  'GkXfoxAAAB9ChoEBQveBAULygQRC84EIQoKEd2VibUKHgQRChYECGFOAZwQAAAABlhFNm3QQAAA/TbsQAAAPU6uEFUmpZlOshQAAAABHTbsQAAAPU6uEFlSua1OshQAAAACLTbsQAAAPU6uEHFO7a1OshQAAAAFwFUmpZhAAADwq17GDD0JATYCSTWVkaWFidW5ueSB2MS42MS4wV0GSTWVkaWFidW5ueSB2MS42MS4wRImIQKdwAAAAAAAWVK5rEAAAa64QAAAw14EBc8WBAYOBAZyBACK1nIN1bmSGhVZfVlA4I+ODhAX14QDgEAAACLCCAoC6ggForhAAADHXgQJzxYECg4ECnIEAIrWcg3VuZIaGQV9PUFVTVruEBMS0AOEQAAAJtYRHO4AAn4ECH0O2dQgAAABp54EAoxAAAAyBAACABwcHBwcHBwejEAAADIIAAIAHBwcHBwcHB6MQAAAMgQPoAAcHBwcHBwcHoxAAAAyCA+iABwcHBwcHBwejEAAADIEH0AAHBwcHBwcHB6MQAAAMggfQgAcHBwcHBwcHHFO7axAAAB67EAAAGbOBALcQAAAG94EB8YH+txAAAAb3gQLxgf4=',
  'base64',
);

/** Sound alone, 3 s, in a container whose bytes indicate video. */
export const soundWebm = Buffer.from(
  'GkXfoxAAAB9ChoEBQveBAULygQRC84EIQoKEd2VibUKHgQRChYECGFOAZwQAAAABZhFNm3QQAAA/TbsQAAAPU6uEFUmpZlOshQAAAABHTbsQAAAPU6uEFlSua1OshQAAAACLTbsQAAAPU6uEHFO7a1OshQAAAAEiFUmpZhAAADwq17GDD0JATYCSTWVkaWFidW5ueSB2MS42MS4wV0GSTWVkaWFidW5ueSB2MS42MS4wRImIQKdwAAAAAAAWVK5rEAAANq4QAAAx14EBc8WBAYOBApyBACK1nIN1bmSGhkFfT1BVU1a7hATEtADhEAAACbWERzuAAJ+BAh9DtnUIAAAAFOeBAKMQAAAMgQAAgAcHBwcHBwcHH0O2dQgAAAAV54ID6KMQAAAMgQAAgAcHBwcHBwcHH0O2dQgAAAAV54IH0KMQAAAMgQAAgAcHBwcHBwcHHFO7axAAADy7EAAADrOBALcQAAAG94EB8YHJuxAAAA+zggPotxAAAAb3gQHxgea7EAAAELOCB9C3EAAAB/eBAfGCAQQ=',
  'base64',
);

/** Silence: a second for each 8000 bytes. */
export function wav(dataBytes: number): Buffer {
  const head = Buffer.alloc(44);
  head.write('RIFF');
  head.writeUInt32LE(36 + dataBytes, 4);
  head.write('WAVEfmt ', 8);
  head.writeUInt32LE(16, 16);
  head.writeUInt16LE(1, 20);
  head.writeUInt16LE(1, 22);
  head.writeUInt32LE(8000, 24);
  head.writeUInt32LE(8000, 28);
  head.writeUInt16LE(1, 32);
  head.writeUInt16LE(8, 34);
  head.write('data', 36);
  head.writeUInt32LE(dataBytes, 40);
  return Buffer.concat([head, Buffer.alloc(dataBytes, 128)]);
}

/** One white pixel. */
export const png = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);

/** The MP4 with `paddingBytes` between its type and the rest: its measures are far from its beginning. */
export function longMp4(paddingBytes: number): Buffer {
  const typeBytes = mp4.readUInt32BE(0);
  const free = Buffer.alloc(8 + paddingBytes);
  free.writeUInt32BE(free.length);
  free.write('free', 4);
  return Buffer.concat([mp4.subarray(0, typeBytes), free, mp4.subarray(typeBytes)]);
}

/** Frames of silence, 26 ms each, in 128 kbit/s. */
export function mp3(frames: number): Buffer {
  const frame = Buffer.alloc(417);
  frame.set([0xff, 0xfb, 0x90, 0xc0]);
  return Buffer.concat(Array.from({ length: frames }, () => frame));
}

/** Frames of 1024 samples at 44.1 kHz, 23 ms each. */
export function adts(frames: number): Buffer {
  const frame = Buffer.from(
    'fff15080050ffc0000000000000000000000000000000000000000000000000000000000000000',
    'hex',
  );
  frame.writeUIntBE((0x80 << 16) | (frame.length << 5) | 0x1f, 3, 3);
  return Buffer.concat(Array.from({ length: frames }, () => frame));
}

/** A tag with `contentBytes`. */
export function id3(contentBytes: number): Buffer {
  const size = [21, 14, 7, 0].map((shift) => (contentBytes >> shift) & 127);
  return Buffer.concat([Buffer.from('ID3\x03\0\0', 'latin1'), Buffer.from(size), Buffer.alloc(contentBytes)]);
}

/** A JPEG of 30 x 20 pixels without pixels, with an orientation of EXIF. */
export function jpeg(orientation: number): Buffer {
  const exif = Buffer.concat([Buffer.from('Exif\0\0', 'latin1'), exifOf(orientation)]);
  const segment = (marker: number, content: Buffer) =>
    Buffer.concat([Buffer.from([0xff, marker, 0, content.length + 2]), content]);
  return Buffer.concat([
    Buffer.from([0xff, 0xd8]),
    segment(0xe1, exif),
    segment(0xc0, Buffer.from([8, 0, 20, 0, 30, 1, 1, 0x11, 0])),
    segment(0xda, Buffer.from([1, 1, 0, 0, 63, 0])),
    Buffer.from([0xff, 0xd9]),
  ]);
}

/** A directory with this tag alone. */
export function exifOf(orientation: number): Buffer {
  return Buffer.concat([
    Buffer.from('MM\0*\0\0\0\x08\0\x01\x01\x12\0\x03\0\0\0\x01', 'latin1'),
    Buffer.from([0, orientation, 0, 0, 0, 0, 0, 0]),
  ]);
}
