/** Whether release 20.57 of the HTTP library runs here, which serves Node 24 and 25. */
export const IS_LATER_RELEASE = ['137', '141'].includes(process.versions.modules);
