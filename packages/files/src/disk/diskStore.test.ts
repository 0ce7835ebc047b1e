import { describeObjectStore } from '../contract.ts';
import { createDiskStore } from './diskStore.ts';
import { startDiskServer } from './testServer.ts';

async function openDisk() {
  const { settings, close } = await startDiskServer();
  return { store: createDiskStore(settings), close };
}

describeObjectStore('disk', openDisk, { ranges: true });
