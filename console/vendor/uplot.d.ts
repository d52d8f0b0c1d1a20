/** The chart library, which the server sends from its package: see `server/assets.ts`. */
export { default } from 'uplot';
