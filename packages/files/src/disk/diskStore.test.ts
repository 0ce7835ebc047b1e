import { startDiskServer } from '../testing/diskServer.ts';
import { describeObjectStore } from '../testing/storeContract.ts';
import { createDiskStore } from './diskStore.ts';

async function openDisk() {
  const { settings, close } = await startDiskServer();
  return { store: createDiskStore(settings), close };
}

describeObjectStore('disk', openDisk, { ranges: true });
