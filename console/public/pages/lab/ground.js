export * from '../../js/parts.js';
