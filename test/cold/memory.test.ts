import { MemoryColdBackend } from '../support/backend/memory-cold.js';
import { coldContract } from './cold-contract.js';

coldContract('in memory', () => Promise.resolve(new MemoryColdBackend()));
