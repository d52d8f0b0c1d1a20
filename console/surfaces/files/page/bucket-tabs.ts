import { $, shownText } from '../../../ui/dom.js';
import { selectTab, tabList } from '../../../ui/parts.js';
import {
  accessTab,
  corsTagsTab,
  lifecycleTab,
  settingsTab,
  uploadsTab,
  versionsTab,
} from './container-tabs.js';
import { OBJECTS, setTab, view } from './state.js';
import type { TabContent } from './container-page.js';

interface Tab {
  readonly id: string;
  readonly title: string;
  readonly content: TabContent;
}

/** The tabs of a bucket, beside its objects. */
const CONTENTS: readonly Tab[] = [
  { id: 'versions', title: 'Versions', content: versionsTab },
  { id: 'access', title: 'Access', content: accessTab },
  { id: 'lifecycle', title: 'Lifecycle', content: lifecycleTab },
  { id: 'cors', title: 'CORS and tags', content: corsTagsTab },
  { id: 'uploads', title: 'Uploads', content: uploadsTab },
  { id: 'settings', title: 'Settings', content: settingsTab },
];

/** The tab that the address names, beside that of the objects: by default the settings. */
export function chosenTab(): Tab {
  const settings = CONTENTS.at(-1) as Tab;
  return CONTENTS.find(({ id }) => id === view.tab) ?? settings;
}

/** The tabs of the open bucket, or the table of all; they stay, and with them the focus, while another one is chosen. */
export function showTabs() {
  const { container, mode } = view;
  const place = $('#bucket-tabs');
  const chosen = mode === 'settings' ? chosenTab().id : OBJECTS;
  $('#buckets').hidden = container !== null;
  $('#bucket-head').hidden = container === null;
  if (container === null) {
    place.replaceChildren();
    delete place.dataset.name;
    return;
  }
  if (place.dataset.name !== container) {
    place.dataset.name = container;
    const tabs = [{ id: OBJECTS, title: 'Objects' }, ...CONTENTS];
    const list = tabList(`Bucket ${shownText(container)}`, tabs, chosen, setTab);
    place.replaceChildren(list);
    list
      .querySelector('[aria-selected=true]')
      ?.scrollIntoView({ block: 'nearest', inline: 'nearest' });
  }
  selectTab(place, chosen);
}
