"""Views in a browser: what is lit, with the pointer and with the keyboard, in the dark, on a phone."""

import re
import shutil

import pytest

from tapeless.view import view
from tests.view import programs

webdriver = pytest.importorskip("selenium.webdriver", reason="selenium is not installed")
DRIVER, BROWSER = shutil.which("chromedriver"), shutil.which("chromium")
if DRIVER is None or BROWSER is None:
    pytest.skip("chromium and its chromedriver are not installed", allow_module_level=True)

FLAGS = """--headless --no-sandbox --disable-gpu --disable-quic --no-first-run
--disable-background-networking --disable-component-update --disable-sync"""


@pytest.fixture(scope="module")
def browser(tmp_path_factory):
    options = webdriver.ChromeOptions()
    options.binary_location = BROWSER
    for flag in [*FLAGS.split(), f"--user-data-dir={tmp_path_factory.mktemp('profile')}"]:
        options.add_argument(flag)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    service = webdriver.ChromeService(executable_path=DRIVER)
    driver = webdriver.Chrome(options=options, service=service)
    file = tmp_path_factory.mktemp("views") / "loss.html"
    view(programs.loss, like=programs.ARGUMENTS, file=file)
    driver.address = file.as_uri()
    yield driver
    driver.quit()


@pytest.fixture
def page(browser):
    sized(browser, 1200, 800)
    media(browser, "prefers-color-scheme", "light")
    browser.get(browser.address)
    browser.execute_script("try { localStorage.clear() } catch {}")
    browser.get(browser.address)
    yield browser
    assert browser.get_log("browser") == []


def sized(page, width, height):
    metrics = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": False}
    page.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", metrics)


def media(page, name, value):
    features = {"features": [{"name": name, "value": value}]}
    page.execute_cdp_cmd("Emulation.setEmulatedMedia", features)


def line(page, text):
    lines = page.find_elements("css selector", ".line")
    [found] = [each for each in lines if text in code(each)]
    return found


def code(element):
    return element.find_element("css selector", "code").get_attribute("textContent")


def lit(page):
    return {code(each).strip() for each in page.find_elements("css selector", ".line.lit")}


def press(page, *keys):
    webdriver.ActionChains(page).send_keys(*keys).perform()


def hover(page, element):
    webdriver.ActionChains(page).move_to_element(element).perform()


def background(element):
    return re.findall(r"\d+", element.value_of_css_property("background-color"))[:3]


def test_hovering_a_line_lights_those_that_it_comes_from(page):
    hover(page, line(page, "w_bar = 0.002").find_element("css selector", "code"))
    assert lit(page) == {"z = x @ w", "ridge = 1e-3 * np.sum(w**2)"}
    assert len(page.find_elements("css selector", "#ribbons path")) == 2


def test_hovering_a_line_lights_those_that_it_gives_rise_to(page):
    hover(page, line(page, "ridge = 1e-3").find_element("css selector", "code"))
    assert lit(page) == {"w_bar = 0.002 * w + x.T @ z_bar"}
    [part] = page.find_elements("css selector", ".part.exact")
    assert part.text.strip() == "w_bar = 0.002 * w +"


def test_a_line_that_continues_a_statement_stands_for_it(page):
    hover(page, line(page, "# a statement in several lines"))
    assert "misfit = np.mean(" in {
        code(e).strip() for e in page.find_elements("css selector", ".here")
    }
    assert any("upstream =" in text for text in lit(page))


def test_clicking_keeps_a_line_lit(page):
    line(page, "ridge = 1e-3").click()
    hover(page, line(page, "e = np.exp(x)"))
    assert lit(page) == {"w_bar = 0.002 * w + x.T @ z_bar"}
    line(page, "ridge = 1e-3").click()
    assert page.find_elements("css selector", "[aria-selected=true]") == []


def test_the_keyboard_reaches_everything(page):
    keys = webdriver.Keys
    press(page, keys.TAB)
    assert page.switch_to.active_element.text == "Skip to your source"
    press(page, keys.TAB, keys.ENTER, keys.TAB)
    assert code(page.switch_to.active_element).startswith("def loss_grad")
    press(page, keys.END, keys.ARROW_UP)
    assert lit(page) == {"z = x @ w", "ridge = 1e-3 * np.sum(w**2)"}
    press(page, keys.ENTER)
    assert "from lines" in page.find_element("id", "told").get_attribute("textContent")
    press(page, keys.ARROW_LEFT)
    assert code(page.switch_to.active_element).strip() == "ridge = 1e-3 * np.sum(w**2)"
    outline = page.switch_to.active_element.value_of_css_property("outline-style")
    assert outline == "solid"
    press(page, keys.ESCAPE)
    assert lit(page) == {"w_bar = 0.002 * w + x.T @ z_bar"}


def test_screen_readers_are_told_where_a_line_comes_from(page):
    said = line(page, "w_bar = 0.002").find_element("css selector", ".said")
    assert re.fullmatch(r", from lines \d+ and \d+", said.get_attribute("textContent"))
    roles = {each.get_attribute("role") for each in page.find_elements("css selector", ".code")}
    assert roles == {"listbox"}


def test_spliced_bodies_have_a_colour_of_their_own(page):
    [*_, part] = line(page, "z_bar += upstream").find_elements("css selector", ".part.spliced")
    assert background(part) != background(page.find_element("tag name", "figure"))
    assert page.find_element("css selector", ".badge").text == "custom gradient"


def test_dark_follows_the_system_and_the_switch(page):
    body, button = page.find_element("tag name", "body"), page.find_element("id", "theme")
    light = background(body)
    media(page, "prefers-color-scheme", "dark")
    dark = background(body)
    assert int(dark[0]) < 60 < 200 < int(light[0])
    button.click()
    assert background(body) == light
    button.click()
    media(page, "prefers-color-scheme", "light")
    assert background(body) == dark and button.get_attribute("aria-label") == "Colours: dark"


def test_phones_show_both_sides_and_nothing_sticks_out(page):
    sized(page, 390, 844)
    assert page.execute_script("return document.documentElement.scrollWidth") <= 390
    assert page.execute_script("return document.documentElement.scrollHeight") <= 844
    for key in ("source", "derivative"):
        box = page.find_element("id", key).rect
        assert box["width"] > 350 and box["height"] > 200
    line(page, "w_bar = 0.002").click()
    assert lit(page) == {"z = x @ w", "ridge = 1e-3 * np.sum(w**2)"}


def test_all_of_it_is_printed(page):
    page.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": "print"})
    pane = page.find_element("id", "derivative")
    assert pane.value_of_css_property("overflow-y") == "visible"
    assert not page.find_element("id", "theme").is_displayed()
    page.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": ""})


def test_nothing_is_asked_of_the_network(page):
    page.get_log("performance")  # what the browser asks for by itself when it starts
    page.get(page.address)
    hover(page, line(page, "w_bar = 0.002"))
    asked = [entry["message"] for entry in page.get_log("performance")]
    urls = {u for m in asked for u in re.findall(r'"url":"([a-z]+:[^"]*)"', m)}
    assert urls
    assert {u for u in urls if not u.startswith(("file:", "data:", "about:", "chrome"))} == set()
