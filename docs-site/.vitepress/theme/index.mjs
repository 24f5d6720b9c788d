import DefaultTheme from "vitepress/theme";
import "./first-page.css";

export default DefaultTheme;
