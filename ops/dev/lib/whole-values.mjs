import { config } from 'chai';

/**
 * Loaded before all tests (.mocharc.json): a message shows the values that it is about, up to so many
 * characters, where chai would say `[ Array(1) ]`. A failure on another machine may leave its message
 * alone.
 */
config.truncateThreshold = 600;
