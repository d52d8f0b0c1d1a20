/** Shows Deploy. */
export async function mount() {}
