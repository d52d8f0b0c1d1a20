import { MemoryColdBackend } from '../../src/cold/memory-backend.js';
import { coldContract } from './cold-contract.js';

coldContract('in memory', () => Promise.resolve(new MemoryColdBackend()));
