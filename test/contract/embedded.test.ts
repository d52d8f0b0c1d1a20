import { backendContract } from './backend-contract.js';
import { openTemporaryStore } from './embedded.js';

backendContract('embedded store', openTemporaryStore);
