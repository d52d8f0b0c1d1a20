import { config } from 'chai';

/**
 * Loaded before all tests (.mocharc.json): a message shows the values that it is about, where chai
 * would say `[ Array(1) ]`. What a failure on another machine leaves may be its message alone.
 *
 * In characters.
 */
config.truncateThreshold = 600;
